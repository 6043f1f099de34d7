import Type, { type Static } from 'typebox'
import { StrictObject } from '../http/schema.ts'

/** How far an integration is (interface: releaseStage). */
export const ReleaseStage = StrictObject(
  { key: Type.String(), name: Type.String() },
  {
    $id: 'ReleaseStage',
    description: 'How far an integration is.',
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

/** A stage on the wire. */
export function serializeReleaseStage(key: string): ReleaseStage {
  return { key, name: NAMES[key as StageKey] ?? key }
}
