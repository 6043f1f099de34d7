import type { Operation } from './read-trace.ts'

type FileOperation = Extract<Operation, { kind: 'write' | 'truncate' }>

/** Files as they are on a disk, and what was written to them since they were last flushed. */
export interface Disk {
  apply(operation: Operation, index: number): void
  /**
   * The contents that the files may have after a power cut: everything that was flushed, and of what was written later any
   * sectors, whatever their order.
   */
  cut(random: () => number): Map<string, Buffer>
}

const SECTOR_BYTES = 512

/** `base`: what is on the disk at first. */
export function createDisk(base: ReadonlyMap<string, Buffer>): Disk {
  const files = new Map(base)
  const pending = new Map<string, { readonly operation: FileOperation; readonly index: number }[]>()
  return {
    apply(operation, index) {
      if (operation.kind === 'send') return
      const { file } = operation
      const waiting = pending.get(file) ?? []
      pending.set(file, waiting)
      if (operation.kind !== 'sync') {
        waiting.push({ operation, index })
        return
      }
      const flushed = waiting.filter((each) => each.index < operation.since)
      pending.set(file, waiting.slice(flushed.length))
      const changes = flushed.map((each) => each.operation)
      files.set(file, perform(files.get(file), changes))
    },
    cut(random) {
      const contents = new Map<string, Buffer>()
      for (const file of new Set([...files.keys(), ...pending.keys()])) {
        // How much of it the disk has got to: nothing, everything, and all that is between.
        const share = random() < 0.2 ? 1 : random()
        const parts = (pending.get(file) ?? []).flatMap(({ operation }) => split(operation))
        const written = parts.filter(() => random() <= share)
        contents.set(file, perform(files.get(file), written))
      }
      return contents
    },
  }
}

/** A write by the sectors that it touches, since a disk writes these whole. */
function split(operation: FileOperation): FileOperation[] {
  if (operation.kind === 'truncate') return [operation]
  const { file, at, data } = operation
  const parts: FileOperation[] = []
  for (let from = 0; from < data.length; ) {
    const to = Math.min(data.length, from + SECTOR_BYTES - ((at + from) % SECTOR_BYTES))
    parts.push({ kind: 'write', file, at: at + from, data: data.subarray(from, to) })
    from = to
  }
  return parts
}

/** The content after these changes. */
function perform(content: Buffer = EMPTY, operations: readonly FileOperation[]): Buffer {
  const capacity = operations.reduce((most, each) => Math.max(most, getEnd(each)), content.length)
  const result = Buffer.alloc(capacity)
  content.copy(result)
  let size = content.length
  for (const operation of operations) {
    if (operation.kind === 'write') operation.data.copy(result, operation.at)
    else result.fill(0, operation.size)
    size = operation.kind === 'write' ? Math.max(size, getEnd(operation)) : operation.size
  }
  return result.subarray(0, size)
}

const EMPTY = Buffer.alloc(0)

/** The least size of a file after this. */
function getEnd(operation: FileOperation): number {
  return operation.kind === 'truncate' ? operation.size : operation.at + operation.data.length
}
