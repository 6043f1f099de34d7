import { createHash } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { BindingAddresses } from './vm.ts'
import { type MemorySnapshot, type Part, takeSnapshot } from './vm-memory.ts'

/** The memory of a VM in which only the guest script has run, as `scripts/prepare.mjs` stores it. */
export interface BaseImage {
  /** Identifies the guest script, the engine and the memory. Absent: the script has just run in this process. */
  readonly id?: string
  /** As `Vm.addresses`: the image fits only VMs with the same. */
  readonly addresses: string
  readonly bindings: BindingAddresses
  readonly bytes: Uint8Array
}

/** What an image was made from; it is invalid for any other. */
export interface BaseImageInputs {
  readonly guestScript: string
  readonly engine: Uint8Array
}

/** A line of JSON, and the parts of the memory that are not zero. */
export function encodeBaseImage(image: BaseImage, inputs: BaseImageInputs): Uint8Array {
  const { addresses, bindings, bytes } = image
  const { parts, length } = takeSnapshot(bytes, new Uint8Array())
  const contents = Buffer.concat(parts.map((part) => part.bytes))
  const head = {
    inputs: hashInputs(inputs),
    addresses,
    bindings,
    length,
    memory: hash(contents),
    parts: parts.map((part) => [part.start, part.bytes.length]),
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), contents])
}

/** @returns undefined if the file is damaged or was made from other inputs */
export function decodeBaseImage(file: Buffer, inputs: BaseImageInputs): BaseImage | undefined {
  try {
    const end = file.indexOf('\n')
    const head = JSON.parse(file.toString('utf8', 0, end))
    const contents = file.subarray(end + 1)
    if (head.inputs !== hashInputs(inputs) || head.memory !== hash(contents)) return undefined
    // Pages that nothing is written to use no memory.
    const bytes = new Uint8Array(head.length)
    let at = 0
    for (const [start, length] of head.parts) {
      bytes.set(contents.subarray(at, at + length), start)
      at += length
    }
    const id = hash(file.subarray(0, end))
    return { id, addresses: head.addresses, bindings: head.bindings, bytes }
  } catch {
    return undefined
  }
}

function hashInputs({ guestScript, engine }: BaseImageInputs): string {
  return hash(Buffer.concat([Buffer.from(guestScript), engine]))
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The memory of a VM after a bundle was loaded in it, before any call. */
export interface BundleImage {
  readonly image: MemorySnapshot
  /** Address of the bundle in an image in which it is compiled but not loaded. */
  readonly bundle?: number | undefined
}

/** The image of the guest script that others are stored as differences from. */
export interface ImageBase {
  /** Identifies the guest script, the engine and the memory. */
  readonly id: string
  readonly bytes: Uint8Array
}

/** A line of JSON, and the parts of the memory that differ from the base and from zero; both compressed (RFC 8878). */
export function encodeBundleImage({ image, bundle }: BundleImage, base: ImageBase): Buffer {
  const isOwn = ({ bytes }: Part) => bytes.buffer !== base.bytes.buffer
  const parts = image.parts.map((part) => [part.start, part.bytes.length, Number(isOwn(part))])
  const head = { base: base.id, bundle, length: image.length, parts }
  const own = image.parts.filter(isOwn).map((part) => part.bytes)
  return zstdCompressSync(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...own]))
}

/** @returns undefined if it belongs to another base or is damaged */
export function decodeBundleImage(encoded: Uint8Array, base: ImageBase): BundleImage | undefined {
  try {
    const decoded = zstdDecompressSync(encoded, { maxOutputLength: MAX_DECODED_BYTES })
    const headLength = decoded.indexOf(NEWLINE)
    const head = JSON.parse(utf8.decode(decoded.subarray(0, headLength)))
    const own = decoded.subarray(headLength + 1)
    if (head.base !== base.id) return undefined
    const reader = { own, base: base.bytes, ownAt: 0, at: 0 }
    const parts = head.parts.map((part: unknown) => readPart(part, reader))
    if (reader.ownAt !== own.length || reader.at > head.length) return undefined
    const image = { parts, length: toOffset(head.length), ownBytes: own.length }
    return { image, bundle: head.bundle === undefined ? undefined : toOffset(head.bundle) }
  } catch {
    return undefined
  }
}

interface PartReader {
  readonly own: Uint8Array
  readonly base: Uint8Array
  /** How much of `own` was read. */
  ownAt: number
  /** The end of the previous part. */
  at: number
}

function readPart(raw: unknown, reader: PartReader): Part {
  if (!Array.isArray(raw)) throw new TypeError('not a part')
  const [start, length] = [toOffset(raw[0]), toOffset(raw[1])]
  const isOwn = raw[2] === 1
  const from = isOwn ? reader.ownAt : start
  const bytes = (isOwn ? reader.own : reader.base).subarray(from, from + length)
  if (start < reader.at || bytes.length !== length) throw new RangeError('parts overlap')
  reader.at = start + length
  if (isOwn) reader.ownAt += length
  return { start, bytes }
}

function toOffset(value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) < MAX_MEMORY_BYTES)
    return Number(value)
  throw new RangeError('not an offset')
}

/** WebAssembly with 32-bit addresses has no more. */
const MAX_MEMORY_BYTES = 2 ** 32
/** The memory of a VM has at most 64 MiB. */
const MAX_DECODED_BYTES = 65 * 1024 * 1024
const NEWLINE = 10
const utf8 = new TextDecoder('utf-8', { fatal: true })
