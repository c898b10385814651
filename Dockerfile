# docker build -t assay .
# docker run --rm --read-only --tmpfs /tmp --user "$(id -u)" -v "$PWD:/work" -e ASSAY_API_KEY assay check --base-url https://staging.example/api
FROM node:22-alpine AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.mjs scripts/build.mjs
COPY schemas schemas
COPY suites suites
COPY src src
RUN npm run build
RUN npm prune --omit=dev --ignore-scripts
RUN find dist node_modules \( -name '*.d.ts' -o -name '*.map' -o -name '*.md' \) -type f -delete

FROM node:22-alpine
COPY --from=build /app/package.json /app/package.json
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /app/dist /app/dist
# Only /work is written to: the root may be read-only.
WORKDIR /work
USER node
ENV NODE_ENV=production
ENTRYPOINT ["node", "/app/dist/src/cli/bin.js"]
CMD ["--help"]
