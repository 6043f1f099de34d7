# Linchpin from this clone, to try it: `docker compose up`. For production, see docs/self-hosting.md: the image of a release is
# smaller, pinned and has bubblewrap.
FROM node:24-bookworm-slim
WORKDIR /app
COPY . .
RUN node scripts/prepare.mjs && mkdir /data && chown node:node /data
USER node
ENV HOST=0.0.0.0 LINCHPIN_DATA_DIR=/data MALLOC_ARENA_MAX=1
VOLUME /data
EXPOSE 3000
CMD ["node_modules/.bin/node", "--max-semi-space-size=8", "packages/server/generated/main.mjs"]
