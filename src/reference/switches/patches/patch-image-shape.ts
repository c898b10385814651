import { renderPng } from "../../content/png.ts";
import { defaultImageSize, lawfulImageShape, type ImageShape } from "../../http/endpoints/image-shape.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

export function patchImageShape(switches: Switchboard): ImageShape {
  const lawful = lawfulImageShape;
  return {
    count: firstChange(switches, lawful.count, {
      "images/n-ignored": () => 1,
      "images/one-too-many": (asked) => (asked === undefined ? 1 : asked + 1),
      "images/two-by-default": (asked = 2) => asked,
    }),
    size: firstChange(switches, lawful.size, {
      "images/default-size-wrong": (asked = "1792x1024") => asked,
    }),
    fileSize: firstChange(switches, lawful.fileSize, {
      "images/size-ignored": () => "256x256",
      "images/second-in-default-size": (size, place) => (place === 0 ? size : defaultImageSize),
    }),
    picture: firstChange(switches, lawful.picture, {
      "images/url-dead": (picture) => ({ ...picture, url: picture.url.replace("/generated/", "/gone/generated/") }),
      "images/url-absent": ({ url: _url, ...rest }) => rest,
      "images/url-relative": (picture) => ({ ...picture, url: new URL(picture.url).pathname }),
      "images/url-null": (picture) => ({ ...picture, url: null }),
      "images/base64-for-url": ({ url, ...rest }) => {
        const [name = ""] = /[0-9a-f]{8}(?=-)/.exec(url) ?? [];
        return { b64_json: renderPng(name, 16, 16).toString("base64"), ...rest };
      },
      "images/url-holds-image": (picture) => ({ ...picture, url: imageAddress(picture.url) }),
      "images/revised-prompt-absent": ({ revised_prompt: _prompt, ...rest }) => rest,
      "images/revised-prompt-null": (picture) => ({ ...picture, revised_prompt: null }),
    }),
    result: firstChange(switches, lawful.result, {
      "images/created-absent": ({ data }) => ({ data }),
      "images/created-ms": ({ created, data }) => ({ created: created * 1000, data }),
      "images/created-text": ({ created, data }) => ({ created: String(created), data }),
      "images/one-address": ({ created, data }) => ({
        created,
        data: data.map((picture) => ({ ...(picture as object), url: (data[0] as { readonly url: string }).url })),
      }),
      "images/data-object": ({ created, data }) => ({ created, data: { 0: data[0] } }),
      "images/named-images": ({ created, data }) => ({ created, images: data }),
    }),
    isPublic: () => !switches.on("images/url-private") && lawful.isPublic(),
    isMoved: () => switches.on("images/url-moved") || lawful.isMoved(),
    file: firstChange(switches, lawful.file, {
      "images/file-is-html": () => ({ contentType: "text/html", bytes: Buffer.from("<!doctype html><title>Image</title>") }),
    }),
  };
}

/** The same image for all of a size, as a model without randomness draws it. */
function imageAddress(url: string): string {
  const [, width = "1024", height = "1024"] = /(\d+)x(\d+)\.png$/.exec(url) ?? [];
  return `data:image/png;base64,${renderPng("alike", Number(width), Number(height)).toString("base64")}`;
}
