import OpenAI, {
  AuthenticationError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnprocessableEntityError,
  InternalServerError,
  toFile,
} from "openai";
import { PNG } from "pngjs";
import { afterAll, describe, expect, it } from "vitest";
import { startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { makeWav } from "../../../suites/requests/audio-fixtures.ts";

const chatModel = "reference-chat";
const embeddingModel = "reference-embedding";

describe("the official OpenAI SDK against the reference service", async () => {
  const service = await startReferenceService({ seed: 7, clock: { kind: "manual", startMs: Date.UTC(2026, 10, 21, 9) } });
  afterAll(() => service.close());

  const secretOf = (name: string): string => service.manifest.keys[name]?.secret ?? "";
  const client = (apiKey: string = secretOf("primary")): OpenAI =>
    new OpenAI({ apiKey, baseURL: `${service.url}/v1`, maxRetries: 0 });
  const sayHello = (ai: OpenAI): Promise<unknown> =>
    ai.chat.completions.create({ model: chatModel, messages: [{ role: "user", content: "Hello" }] });

  it("gets a chat completion with usage", async () => {
    const completion = await client().chat.completions.create({
      model: chatModel,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Write 12 words." },
      ],
      max_tokens: 50,
    });
    const [choice] = completion.choices;
    expect(choice?.message.content?.length).toBeGreaterThan(10);
    expect(choice?.finish_reason).toBe("stop");
    expect(completion.usage?.completion_tokens).toBe(12);
    expect(completion.usage?.total_tokens).toBe(completion.usage!.prompt_tokens + 12);
    expect(completion._request_id).toMatch(/^req_/);
  });

  it("streams the same text as it answers at once, with usage at the end", async () => {
    const request = { model: chatModel, messages: [{ role: "user" as const, content: "Tell me a long story" }] };
    const whole = await client().chat.completions.create(request);
    const stream = await client().chat.completions.create({ ...request, stream: true, stream_options: { include_usage: true } });
    let text = "";
    let finish: string | null = null;
    let usage: OpenAI.CompletionUsage | null = null;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      finish = chunk.choices[0]?.finish_reason ?? finish;
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(finish).toBe("stop");
    expect(usage).toEqual(whole.usage);
  });

  it("stops at max_tokens with finish reason length", async () => {
    const completion = await client().chat.completions.create({
      model: chatModel,
      messages: [{ role: "user", content: "Tell me a long story" }],
      max_tokens: 5,
    });
    expect(completion.usage?.completion_tokens).toBe(5);
    expect(completion.choices[0]?.finish_reason).toBe("length");
  });

  it("assembles a streamed tool call and replays its result", async () => {
    const tools = [
      {
        type: "function" as const,
        function: {
          name: "get_weather",
          parameters: { type: "object", properties: { city: { type: "string" }, unit: { type: "string", enum: ["c", "f"] } } },
        },
      },
    ];
    const question = { role: "user" as const, content: "How is the weather? Use get_weather." };
    const runner = client().chat.completions.stream({ model: chatModel, messages: [question], tools });
    const completion = await runner.finalChatCompletion();
    const call = completion.choices[0]?.message.tool_calls?.[0];
    expect(completion.choices[0]?.finish_reason).toBe("tool_calls");
    expect(call?.type === "function" ? JSON.parse(call.function.arguments) : null).toMatchObject({ city: expect.any(String) });
    const answer = await client().chat.completions.create({
      model: chatModel,
      tools,
      messages: [question, completion.choices[0]!.message, { role: "tool", tool_call_id: call!.id, content: "Sunny" }],
    });
    expect(answer.choices[0]?.finish_reason).toBe("stop");
  });

  it("gets equal embeddings in both encodings, of unit length", async () => {
    const input = ["first text", "second text"];
    const byDefault = await client().embeddings.create({ model: embeddingModel, input });
    const floats = await client().embeddings.create({ model: embeddingModel, input, encoding_format: "float" });
    // The SDK decodes base64 only when it chose that encoding itself.
    const base64 = await client().embeddings.create({ model: embeddingModel, input, encoding_format: "base64" });
    const decoded = base64.data.map(({ embedding }) => {
      const bytes = Buffer.from(embedding as unknown as string, "base64");
      return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
    });
    expect(byDefault.data.map(({ embedding }) => embedding)).toEqual(floats.data.map(({ embedding }) => embedding));
    expect(decoded).toEqual(floats.data.map(({ embedding }) => embedding));
    expect(Math.hypot(...floats.data[0]!.embedding)).toBeCloseTo(1, 5);
    const small = await client().embeddings.create({ model: embeddingModel, input, dimensions: 16, encoding_format: "float" });
    expect(small.data[1]!.embedding).toHaveLength(16);
    expect(Math.hypot(...small.data[1]!.embedding)).toBeCloseTo(1, 5);
  });

  it("generates images that are PNGs of the requested size", async () => {
    const result = await client().images.generate({ prompt: "a lighthouse", n: 2, size: "1792x1024", quality: "hd" });
    expect(result.data).toHaveLength(2);
    const response = await fetch(result.data![0]!.url!);
    const png = PNG.sync.read(Buffer.from(await response.arrayBuffer()));
    expect([response.headers.get("content-type"), png.width, png.height]).toEqual(["image/png", 1792, 1024]);
  });

  it("transcribes audio", async () => {
    const file = await toFile(makeWav(2), "speech.wav");
    const { text } = await client().audio.transcriptions.create({ file, model: "reference-transcription", language: "en" });
    expect(text).toMatch(/^[A-Z][a-z ]+\.$/);
  });

  it("lists models", async () => {
    const page = await client().models.list();
    expect(page.data.map(({ id }) => id)).toEqual(expect.arrayContaining([chatModel, embeddingModel, "reference-transcription"]));
  });

  it("maps statuses to the SDK's error classes", async () => {
    await expect(sayHello(client("nim_live_wrong"))).rejects.toBeInstanceOf(AuthenticationError);
    await expect(client(secretOf("readOnly")).patch("/account", { body: { account_spend_cap: 1 } })).rejects.toBeInstanceOf(
      PermissionDeniedError,
    );
    await expect(
      client().chat.completions.create({ model: "unheard-of", messages: [{ role: "user", content: "x" }] }),
    ).rejects.toBeInstanceOf(NotFoundError);
    await expect(
      client().chat.completions.create({ model: chatModel, messages: [{ role: "user", content: "x" }], temperature: 3 }),
    ).rejects.toBeInstanceOf(UnprocessableEntityError);
    await expect(client().models.list({ headers: { "x-reference-fault": "503" } })).rejects.toBeInstanceOf(InternalServerError);
  });

  it("maps an exceeded limit to RateLimitError with the code and the wait", async () => {
    const ai = client(secretOf("lowLimit"));
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => ai.models.list()));
    const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
    expect(refusals).toHaveLength(1);
    expect(refusals[0]).toBeInstanceOf(RateLimitError);
    expect((refusals[0] as RateLimitError).code).toBe("rate_limit_exceeded");
    expect(Number((refusals[0] as RateLimitError).headers?.get("retry-after"))).toBeGreaterThan(0);
  });
});
