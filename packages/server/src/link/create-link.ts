import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../caller/caller.ts'
import { type Category, isCategory, ownCategory, readCategory } from '../definition/category.ts'
import type { DefinitionStore } from '../definition/definition-store.ts'
import { referencedDefinition } from '../definition/referenced-definition.ts'
import { type FieldErrors, fieldError, validationFailed } from '../errors.ts'
import type { Database } from '../storage/database.ts'
import { newLinkId } from '../storage/id.ts'
import type { LinkRow } from '../storage/tables.ts'
import { resolveWorkspace } from '../workspace/resolve-workspace.ts'
import type { WorkspaceStore } from '../workspace/workspace-store.ts'
import type { CreateLink, Link } from './link.ts'
import { toLink } from './link-answer.ts'
import type { LinkStore } from './link-store.ts'
import { readPolicy } from './policy/read-policy.ts'

export interface CreateLinkDeps {
  readonly database: Database
  readonly workspaces: WorkspaceStore
  readonly definitions: DefinitionStore
  readonly links: LinkStore
  readonly now: () => number
}

/**
 * Makes a link (interface: Create link).
 *
 * @throws ApiError `validation_failed`, `workspace_not_accessible`, `unknown_reference`
 */
export async function createLink(
  deps: CreateLinkDeps,
  caller: Caller,
  input: CreateLink,
): Promise<Link> {
  const life = readLife(input)
  const policy = readPolicy(input)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  const category = await readCategories(deps, caller, workspaceId, input.category ?? [])
  const definitionId = input.integrationDefinitionId ?? null
  if (definitionId !== null)
    await referencedDefinition(deps, deps.database.read, caller, workspaceId, definitionId)
  const now = deps.now()
  const row: LinkRow = {
    link_id: newLinkId(),
    workspace_id: workspaceId,
    name: input.linkName,
    can_expire: life.canExpire ? 1 : 0,
    expires_in: life.seconds,
    expires_at: life.canExpire ? now + life.seconds * 1_000 : null,
    prefer_oauth: input.preferOAuth ? 1 : 0,
    category: JSON.stringify(category),
    definition_id: definitionId,
    ...policy,
    created_at: now,
    updated_at: now,
    revoked_at: null,
  }
  await deps.database.transaction(async (trx) => {
    await deps.links.insert(trx, row)
    await recordAudit(trx, caller, now, {
      action: 'link.created',
      workspaceId,
      // A link id is a capability: the trail names it by its start only.
      subject: row.link_id.slice(0, 8),
    })
  })
  return toLink(row, [])
}

function readLife({ canExpire, expiresIn }: CreateLink): { canExpire: boolean; seconds: number } {
  const seconds = expiresIn ?? 0
  if (canExpire === true && seconds === 0)
    throw validationFailed(
      fieldError(
        'expiresIn',
        'required',
        'A link that can expire needs the seconds after which it does.',
      ),
    )
  const expires = (canExpire ?? true) && seconds > 0
  return { canExpire: expires, seconds: expires ? seconds : 0 }
}

async function readCategories(
  deps: CreateLinkDeps,
  caller: Caller,
  workspaceId: string,
  inputs: NonNullable<CreateLink['category']>,
): Promise<Category[]> {
  const own = inputs.length === 0 ? new Map() : await ownTypes(deps, caller, workspaceId)
  const read = inputs.map((input, index) =>
    readCategory(`category.${index}`, input, (key) => own.get(key)),
  )
  const faults = read.filter((item): item is FieldErrors => !isCategory(item))
  if (faults.length > 0) throw validationFailed(Object.assign({}, ...faults))
  const categories = read.filter(isCategory)
  return [...new Map(categories.map((category) => [category.key, category])).values()]
}

/** Types that only this workspace's definitions know. */
async function ownTypes(
  deps: CreateLinkDeps,
  caller: Caller,
  workspaceId: string,
): Promise<Map<string, Category>> {
  const types = await deps.definitions.listTypes(caller, workspaceId)
  return new Map(types.map(({ key, name }) => [key, ownCategory(key, name)]))
}
