import { crc32, deflateSync } from 'node:zlib'

/** A black PNG with additional chunks. */
export function createPng(width: number, height: number, chunks: readonly Buffer[] = []): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // 8 bits, grayscale.
  header[8] = 8
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    createPngChunk('IHDR', header),
    ...chunks,
    createPngChunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height))),
    createPngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** A chunk with its length and checksum. */
export function createPngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

/** The header of a WebP, without the pixels. */
export function createWebp(
  kind: 'VP8 ' | 'VP8L' | 'VP8X',
  width: number,
  height: number,
  flags = 0,
): Buffer {
  const content = Buffer.alloc(18)
  if (kind === 'VP8 ') {
    content.writeUIntBE(0x9d012a, 3, 3)
    content.writeUInt16LE(width, 6)
    content.writeUInt16LE(height, 8)
  } else if (kind === 'VP8L') {
    content[0] = 0x2f
    content.writeUInt32LE((width - 1) | ((height - 1) << 14), 1)
  } else {
    content[0] = flags
    content.writeUIntLE(width - 1, 4, 3)
    content.writeUIntLE(height - 1, 7, 3)
  }
  const image = Buffer.concat([Buffer.from(`RIFF....WEBP${kind}....`, 'latin1'), content])
  image.writeUInt32LE(image.length - 8, 4)
  image.writeUInt32LE(content.length, 16)
  return image
}
