import { type Checkpoint, isSignatureValid } from '../checkpoint.ts'
import { groupBySequence } from './group-by-sequence.ts'
import type { ChainPlace, Finding } from './read-export.ts'

/** Finds the checkpoint in a line of the service's log, in an event, or in a line of its own. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const line = value as { checkpoint?: unknown; data?: { checkpoint?: unknown } } | null
  const found = (line?.checkpoint ?? line?.data?.checkpoint ?? line) as Checkpoint | null
  const isCheckpoint =
    Number.isSafeInteger(found?.sequence) &&
    typeof found?.hash === 'string' &&
    typeof found.signature === 'string'
  return isCheckpoint ? found : undefined
}

/** Compares the places of a chain with checkpoints of it. */
export interface CheckpointVerifier {
  compare(place: ChainPlace, line: number): void
  readonly findings: readonly Finding[]
  /** How many checkpoints the export contains the entries of. */
  readonly compared: number
}

/** Creates a verifier. With a public key, a checkpoint without its valid signature is a finding. */
export function createCheckpointVerifier(
  checkpoints: readonly Checkpoint[],
  publicKey: string | undefined,
): CheckpointVerifier {
  const bySequence = groupBySequence(checkpoints)
  const findings: Finding[] = []
  let compared = 0
  const isForged = (checkpoint: Checkpoint) =>
    publicKey !== undefined && !isSignatureValid(checkpoint, publicKey)
  return {
    findings,
    get compared() {
      return compared
    },
    compare({ sequence, hash }, line) {
      for (const checkpoint of bySequence.get(sequence) ?? []) {
        compared += 1
        const { timestamp } = checkpoint
        const report = (message: string) => findings.push({ kind: 'checkpoint', line, message })
        if (isForged(checkpoint)) report(`the checkpoint of ${timestamp} has no valid signature`)
        else if (checkpoint.hash !== hash)
          report(`entry ${sequence} or one before it differs from the checkpoint of ${timestamp}`)
      }
    },
  }
}
