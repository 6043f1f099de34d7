import Type, { type Static } from 'typebox'
import { OptionalField, StrictObject } from '../http/schema.ts'

const workspaceId = OptionalField(
  Type.String({
    maxLength: 64,
    description: 'For a catalogue definition: the workspace to change.',
  }),
)
const version = OptionalField(
  Type.String({ minLength: 1, maxLength: 50, pattern: '^[\\w.+-]+$', description: 'The version.' }),
)

/** The version to upgrade to. */
export const UpgradeDefinition = StrictObject(
  {
    sourceUrl: OptionalField(
      Type.String({ minLength: 1, maxLength: 2_048, description: 'URL of the compiled bundle.' }),
    ),
    version,
    workspaceId,
  },
  { $id: 'UpgradeDefinition', examples: [{ version: '1.1.0' }] },
)
export type UpgradeDefinition = Static<typeof UpgradeDefinition>

/** The version to roll back to. */
export const RollbackDefinition = StrictObject(
  { version, workspaceId },
  { $id: 'RollbackDefinition', examples: [{ version: '1.0.0' }] },
)
export type RollbackDefinition = Static<typeof RollbackDefinition>
