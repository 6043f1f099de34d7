import type { DefinitionId } from '../../src/integrations/definitions/definition.ts'
import { newId } from '../../src/platform/storage/id.ts'
import type { BrowserTestContext } from './browser-test-context.ts'

/** Stores a spec without validation, under a new hash, because auth methods are cached per hash. */
export async function replaceSpec(
  { database }: BrowserTestContext,
  definitionId: DefinitionId,
  spec: unknown,
) {
  await database.transaction(async (trx) => {
    const sha256 = crypto.randomUUID()
    const bundle = { sha256, code: new Uint8Array(1), size: 1, created_at: 0 }
    await trx.insertInto('bundles').values(bundle).execute()
    await trx
      .updateTable('definitions')
      .set({ spec: JSON.stringify(spec), bundle_sha256: sha256 })
      .where('definition_id', '=', definitionId)
      .execute()
  })
}

/** Copies a definition under these names, also used as category and icon. */
export async function copyDefinition(
  { database }: BrowserTestContext,
  definitionId: DefinitionId,
  names: readonly string[],
) {
  await database.transaction(async (trx) => {
    const template = await trx
      .selectFrom('definitions')
      .selectAll()
      .where('definition_id', '=', definitionId)
      .executeTakeFirstOrThrow()
    const rows = names.map((name, index) => ({
      ...template,
      definition_id: newId('def', template.created_at),
      // It includes the ID.
      key: `copy_${index}`,
      name,
      icon: name,
      type_key: `OWN_${index % 9}`,
      type_name: name,
    }))
    await trx.insertInto('definitions').values(rows).execute()
  })
}

/** Sets the workspace's name and settings without validation. */
export async function setWorkspaceBranding(
  { database, workspaceId }: BrowserTestContext,
  text: string,
) {
  await database.transaction(async (trx) => {
    const theme = {
      accentColor: text,
      logoUrl: text,
      privacyUrl: text,
      termsUrl: `https://help.example/${text}`,
    }
    await trx
      .updateTable('workspaces')
      .set({ name: text, settings: JSON.stringify({ name: text, theme }) })
      .where('workspace_id', '=', workspaceId)
      .execute()
  })
}
