import { createHash } from 'node:crypto'
import { takeSnapshot } from './memory-snapshot.ts'
import type { BindingAddresses } from './vm.ts'

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
