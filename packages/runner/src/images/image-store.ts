import { createHmac, type KeyObject, randomUUID, timingSafeEqual } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, statfs, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { Lru } from '../lru.ts'

/**
 * Images of loaded bundles, by the SHA-256 of their code, so that a process need not compile them. No method rejects:
 * without an image the code is compiled.
 */
export interface BundleImageStore {
  /** @returns undefined if there is no image, or none that was made by this version of the sandbox and with this key */
  read(sha256: string): Promise<Uint8Array | undefined>
  write(sha256: string, image: Uint8Array): Promise<void>
}

/** Keeps images in memory, where there is no data folder. */
export function createMemoryImageStore(): BundleImageStore {
  const images = new Lru<Uint8Array>(MAX_COUNT, MAX_MEMORY_BYTES)
  return {
    read: async (sha256) => images.get(sha256),
    async write(sha256, image) {
      images.set(sha256, image, image.byteLength)
    },
  }
}

const MAX_COUNT = 64
const MAX_MEMORY_BYTES = 32 * 1024 * 1024

export interface ImageFolderOptions {
  /** Created when the first image is written. */
  readonly folder: string
  /** Authenticates the files; no other use. */
  readonly key: KeyObject
  readonly sandboxVersion: string
  readonly log: (message: string, detail: Record<string, unknown>) => void
  /** Total size of the files. Default: 256 MiB. */
  readonly maxBytes?: number
  /** Free space that is left to the database. Default: 512 MiB. */
  readonly minFreeBytes?: number
}

/**
 * Keeps images in files that are authenticated with a key. A file that was changed, truncated, made by another version or
 * with another key, or that is not a regular file, is deleted. The least recently used files are deleted when they become
 * too large in total.
 */
export class ImageFolder implements BundleImageStore {
  readonly #options: Required<ImageFolderOptions>

  constructor(options: ImageFolderOptions) {
    this.#options = { maxBytes: MAX_BYTES, minFreeBytes: MIN_FREE_BYTES, ...options }
  }

  async read(sha256: string): Promise<Uint8Array | undefined> {
    const file = this.#fileOf(sha256)
    const { key, sandboxVersion, log } = this.#options
    let sealed: Uint8Array | undefined
    try {
      sealed = await readRegularFile(file)
    } catch (error) {
      if (!isSystemError(error, 'ENOENT'))
        log('an image of a bundle could not be read', { error: String(error) })
      return undefined
    }
    const image = sealed && openImage(key, { sandboxVersion, sha256 }, sealed)
    if (image === undefined) {
      log('deleted an image of a bundle that could not be verified', { file })
      await rm(file, { recursive: true, force: true }).catch(() => {})
    } else void utimes(file, new Date(), new Date()).catch(() => {})
    return image
  }

  async write(sha256: string, image: Uint8Array): Promise<void> {
    const { folder, key, sandboxVersion, log } = this.#options
    const temporary = join(folder, `${randomUUID()}${TEMPORARY}`)
    try {
      await this.#makeRoom(image.byteLength)
      const handle = await open(temporary, 'wx', 0o600)
      try {
        await handle.writeFile(sealImage(key, { sandboxVersion, sha256 }, image))
      } finally {
        await handle.close()
      }
      await rename(temporary, this.#fileOf(sha256))
    } catch (error) {
      log('an image of a bundle could not be stored', { error: String(error) })
      await rm(temporary, { force: true }).catch(() => {})
    }
  }

  #fileOf(sha256: string): string {
    // Digests come from the database; nothing else may become a path.
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError('not a SHA-256')
    return join(this.#options.folder, sha256)
  }

  /** @throws Error when there is no room, or the folder is a link */
  async #makeRoom(bytes: number): Promise<void> {
    const { folder, maxBytes, minFreeBytes } = this.#options
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is not a folder`)
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < bytes + minFreeBytes) throw new Error('too little disk space is left')
    const files = await listFiles(folder)
    let total = files.reduce((sum, { size }) => sum + size, bytes)
    for (const { file, size } of files) {
      if (total <= maxBytes) return
      await rm(file, { recursive: true, force: true })
      total -= size
    }
  }
}

/** The files of a folder, the least recently used first, after what crashed writers have left. */
async function listFiles(folder: string) {
  const names = await readdir(folder)
  const files = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name)
      const { size, mtimeMs } = await lstat(file).catch(() => ({ size: 0, mtimeMs: 0 }))
      const isLeftOver = name.endsWith(TEMPORARY) && mtimeMs < Date.now() - LEFT_OVER_MS
      if (isLeftOver) await rm(file, { recursive: true, force: true })
      return { file, size: isLeftOver ? 0 : size, mtimeMs }
    }),
  )
  return files.toSorted((a, b) => a.mtimeMs - b.mtimeMs)
}

/** @returns undefined if this is a link, a device or too large. Throws if it is missing or cannot be read */
async function readRegularFile(file: string): Promise<Uint8Array | undefined> {
  // Opening a pipe would wait for its writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(file, flags).catch((error: unknown): undefined => {
    if (!isSystemError(error, 'ELOOP')) throw error
  })
  if (handle === undefined) return undefined
  try {
    const stats = await handle.stat()
    return stats.isFile() && stats.size <= MAX_FILE_BYTES ? await handle.readFile() : undefined
  } finally {
    await handle.close()
  }
}

function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

const TEMPORARY = '.tmp'
/** No write takes longer, in milliseconds. */
const LEFT_OVER_MS = 3_600_000
const MAX_FILE_BYTES = 16 * 1024 * 1024
const MAX_BYTES = 256 * 1024 * 1024
const MIN_FREE_BYTES = 512 * 1024 * 1024

/** What an image belongs to. All of it is authenticated. */
interface ImageContext {
  /** Changes with the engine, the guest script, its memory and the program of the children. */
  readonly sandboxVersion: string
  /** The digest of the bundle. */
  readonly sha256: string
}

/** An image preceded by its HMAC-SHA-256. */
function sealImage(key: KeyObject, context: ImageContext, image: Uint8Array): Buffer {
  return Buffer.concat([authenticate(key, context, image), image])
}

/** @returns undefined unless these bytes were sealed with this key and for this context */
function openImage(
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
