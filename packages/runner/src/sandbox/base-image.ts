import { createHash } from 'node:crypto'
import type { BindingAddresses } from './vm.ts'

/** The memory of a VM in which only the guest script has run, as `scripts/prepare.mjs` stores it. */
export interface BaseImage {
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

/** A line of JSON, and the memory. */
export function encodeBaseImage(image: BaseImage, inputs: BaseImageInputs): Uint8Array {
  const { addresses, bindings, bytes } = image
  const head = { inputs: hashInputs(inputs), addresses, bindings, memory: hash(bytes) }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes])
}

/** @returns undefined if the file is damaged or was made from other inputs */
export function decodeBaseImage(file: Buffer, inputs: BaseImageInputs): BaseImage | undefined {
  try {
    const end = file.indexOf('\n')
    const head = JSON.parse(file.toString('utf8', 0, end))
    const bytes = file.subarray(end + 1)
    if (head.inputs !== hashInputs(inputs) || head.memory !== hash(bytes)) return undefined
    return { addresses: head.addresses, bindings: head.bindings, bytes }
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
