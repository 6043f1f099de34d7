import { deriveId } from '../storage/id.ts'

/** The id of a catalogue definition: the same on every node and in every database. */
export function catalogueDefinitionId(key: string): string {
  return deriveId('def', `linchpin catalogue ${key}`)
}
