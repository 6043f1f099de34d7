import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/** What an image belongs to. All of it is authenticated. */
export interface ImageContext {
  /** Changes with the engine, the guest script, its memory and the program of the children. */
  readonly sandboxVersion: string
  /** The digest of the bundle. */
  readonly sha256: string
}

/** An image preceded by its HMAC-SHA-256. */
export function sealImage(key: KeyObject, context: ImageContext, image: Uint8Array): Buffer {
  return Buffer.concat([authenticate(key, context, image), image])
}

/** @returns undefined unless these bytes were sealed with this key and for this context */
export function openImage(
  key: KeyObject,
  context: ImageContext,
  sealed: Uint8Array,
): Uint8Array | undefined {
  if (sealed.byteLength <= MAC_BYTES) return undefined
  const image = sealed.subarray(MAC_BYTES)
  const mac = authenticate(key, context, image)
  return timingSafeEqual(mac, sealed.subarray(0, MAC_BYTES)) ? image : undefined
}

/** Bytes of an HMAC-SHA-256. */
const MAC_BYTES = 32

// Both texts are of fixed form, without a line feed, so no other context has the same bytes.
function authenticate(key: KeyObject, context: ImageContext, image: Uint8Array): Buffer {
  return createHmac('sha256', key)
    .update(`linchpin bundle image 1\n${context.sandboxVersion}\n${context.sha256}\n`)
    .update(image)
    .digest()
}
