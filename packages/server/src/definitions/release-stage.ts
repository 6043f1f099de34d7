import Type, { type Static } from 'typebox'
import { StrictObject } from '../http/schema.ts'

/** The release stage of an integration (interface: releaseStage). */
export const ReleaseStage = StrictObject(
  { key: Type.String(), name: Type.String() },
  {
    $id: 'ReleaseStage',
    description: 'The release stage of an integration.',
    examples: [{ key: 'CUSTOM', name: 'Custom' }],
  },
)
export type ReleaseStage = Static<typeof ReleaseStage>

const NAMES = {
  ALPHA: 'Alpha',
  BETA: 'Beta',
  GENERALLY_AVAILABLE: 'Generally available',
  CUSTOM: 'Custom',
  DEPRECATED: 'Deprecated',
} as const

export type StageKey = keyof typeof NAMES

/** Converts a stored stage to the API representation. */
export function serializeReleaseStage(key: string): ReleaseStage {
  return { key, name: NAMES[key as StageKey] ?? key }
}
