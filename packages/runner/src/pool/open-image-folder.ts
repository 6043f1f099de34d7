import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import type { BundleImageStore } from '../images/bundle-image-store.ts'
import { ImageFolder, type ImageFolderOptions } from '../images/image-folder.ts'
import { listSandboxFiles, type SandboxFiles } from './sandbox-files.ts'

/** Opens the folder with the images of this version of the sandbox. `key` authenticates them, and has no other use. */
export function openImageFolder(
  options: Omit<ImageFolderOptions, 'sandboxVersion'>,
): BundleImageStore {
  return new ImageFolder({ ...options, sandboxVersion: hashSandbox(listSandboxFiles()) })
}

/** The program of the children, and the first line of the base image, which names its script, engine and memory. */
function hashSandbox({ main, baseImage }: SandboxFiles): string {
  const hash = createHash('sha256').update(readFileSync(main))
  if (baseImage !== undefined) hash.update(readFirstLine(baseImage))
  return hash.digest('hex')
}

function readFirstLine(file: string): Uint8Array {
  const start = Buffer.alloc(MAX_LINE_BYTES)
  const descriptor = openSync(file, 'r')
  try {
    const length = readSync(descriptor, start)
    return start.subarray(0, start.subarray(0, length).indexOf('\n') + 1)
  } finally {
    closeSync(descriptor)
  }
}

const MAX_LINE_BYTES = 64 * 1024
