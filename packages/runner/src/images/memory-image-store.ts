import { Lru } from '../sandbox/lru.ts'
import type { BundleImageStore } from './bundle-image-store.ts'

/** Keeps images in memory, where there is no data folder. */
export function createMemoryImageStore(): BundleImageStore {
  const images = new Lru<Uint8Array>(MAX_COUNT, MAX_BYTES)
  return {
    read: async (sha256) => images.get(sha256),
    async write(sha256, image) {
      images.set(sha256, image, image.byteLength)
    },
  }
}

const MAX_COUNT = 64
const MAX_BYTES = 32 * 1024 * 1024
