/** An image that pages may show. */
export interface IconImage {
  readonly mediaType: 'image/png' | 'image/webp'
  readonly extension: 'png' | 'webp'
  readonly width: number
  readonly height: number
}

/**
 * Reads the type and the size of a still image from its bytes. Only PNG and WebP, which cannot contain scripts; the
 * structure must end with the bytes, so that nothing else is appended.
 *
 * @returns undefined for anything else, and for animations
 */
export function parseIcon(bytes: Uint8Array): IconImage | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return parsePng(buffer) ?? parseWebp(buffer)
}

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** The length, type and checksum around the content of a chunk. */
const PNG_CHUNK_FRAME = 12

/** PNG, third edition, section 5. */
function parsePng(buffer: Buffer): IconImage | undefined {
  if (!buffer.subarray(0, 8).equals(PNG_SIGNATURE) || buffer.length < 33) return undefined
  if (buffer.readUInt32BE(8) !== 13 || readType(buffer, 12) !== 'IHDR') return undefined
  let position = 8
  let type = ''
  while (position + PNG_CHUNK_FRAME <= buffer.length && type !== 'IEND') {
    type = readType(buffer, position + 4)
    if (type === 'acTL') return undefined
    position += buffer.readUInt32BE(position) + PNG_CHUNK_FRAME
  }
  if (type !== 'IEND' || position !== buffer.length) return undefined
  const [width, height] = [buffer.readUInt32BE(16), buffer.readUInt32BE(20)]
  return { mediaType: 'image/png', extension: 'png', width, height }
}

/** RFC 9649, section 2. */
function parseWebp(buffer: Buffer): IconImage | undefined {
  if (buffer.length < 30 || readType(buffer, 0) !== 'RIFF' || readType(buffer, 8) !== 'WEBP')
    return undefined
  if (buffer.readUInt32LE(4) + 8 !== buffer.length) return undefined
  const size = readWebpSize(buffer)
  return size && { mediaType: 'image/webp', extension: 'webp', ...size }
}

function readWebpSize(buffer: Buffer): Pick<IconImage, 'width' | 'height'> | undefined {
  const type = readType(buffer, 12)
  if (type === 'VP8 ' && buffer.readUIntBE(23, 3) === 0x9d012a)
    return { width: buffer.readUInt16LE(26) & 0x3fff, height: buffer.readUInt16LE(28) & 0x3fff }
  if (type === 'VP8L' && buffer[20] === 0x2f) {
    const bits = buffer.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  const isAnimated = ((buffer[20] ?? 0) & 0x02) !== 0
  if (type === 'VP8X' && !isAnimated)
    return { width: buffer.readUIntLE(24, 3) + 1, height: buffer.readUIntLE(27, 3) + 1 }
  return undefined
}

function readType(buffer: Buffer, position: number): string {
  return buffer.toString('latin1', position, position + 4)
}
