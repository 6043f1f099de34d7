import { readFile } from 'node:fs/promises'
import { writePrivateFile } from '../profile-store.ts'
import { UsageError } from '../usage-error.ts'

/** The place of a reader in the sequence of events, in a file. */
export interface Position {
  /** The sequence of the last event that was handled; undefined in a new file. */
  readonly after: number | undefined
  save(sequence: number): Promise<void>
}

/** @throws UsageError for a file with something else */
export async function openPosition(file: string): Promise<Position> {
  const save = (sequence: number) => writePrivateFile(file, `${sequence}\n`)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return { after: undefined, save }
  if (!/^\d{1,15}\n$/.test(text))
    throw new UsageError(
      'The file of the position has something else in it. Remove it to start anew.',
    )
  return { after: Number(text), save }
}
