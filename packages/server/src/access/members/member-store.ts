import { type Kysely, sql } from 'kysely'
import type { Database, Param, Transaction } from '../../platform/storage/database.ts'
import { newId } from '../../platform/storage/id.ts'
import type { MemberRow, Tables } from '../../platform/storage/tables.ts'
import type { WorkspaceAccess } from '../auth/caller.ts'
import { isAccessibleWorkspace, isInAccessibleWorkspace } from '../auth/workspace-access-store.ts'
import type { TokenId } from '../tokens/token.ts'
import { revokeWithDescendants } from '../tokens/token-store.ts'
import type { User, UserId } from '../users/user.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import { MAX_LISTED_TOKENS, type Member, type MemberId, type MemberTokenName } from './member.ts'
import type { Role } from './roles.ts'

/** The members of workspaces: who has access, and who is invited. */
export function createMemberStore(database: Database) {
  const withoutOwner = database.prepare((db, param: Param<{ userId: UserId }>) =>
    selectWithoutOwner(db).where('user_id', '=', param('userId')),
  )
  return {
    /** The members of a workspace, oldest first. */
    async list(access: WorkspaceAccess, workspaceId: WorkspaceId): Promise<Member[]> {
      const rows = await selectMembers(database.read)
        .where('members.workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .orderBy('members.created_at')
        .orderBy('members.member_id')
        .execute()
      return rows.map(toMember)
    },

    async find(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      memberId: MemberId,
    ): Promise<Member | undefined> {
      const row = await selectMembers(db)
        .where('members.member_id', '=', memberId)
        .where(isInAccessibleWorkspace(access, 'members'))
        .executeTakeFirst()
      return row && toMember(row)
    },

    /** The member with an e-mail, in any letter case. */
    async findByEmail(
      db: Kysely<Tables>,
      workspaceId: WorkspaceId,
      email: string,
    ): Promise<Member | undefined> {
      const row = await selectMembers(db)
        .where('members.workspace_id', '=', workspaceId)
        .where('members.email_key', '=', email.toLowerCase())
        .executeTakeFirst()
      return row && toMember(row)
    },

    /** The members of a workspace, invited ones included. */
    async count(db: Kysely<Tables>, workspaceId: WorkspaceId): Promise<number> {
      const { count } = await db
        .selectFrom('members')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('workspace_id', '=', workspaceId)
        .where('ended_at', 'is', null)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    /** The live access tokens that the members of a workspace created in the console, and those that were created with them. */
    listTokens: (
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      now: number,
    ): Promise<ReadonlyMap<TokenId, MemberTokenName[]>> =>
      listTokens(database.read, access, workspaceId, now),

    /** The member whose invitation has a secret with this hash, if it can still be accepted. */
    async findInvited(
      db: Kysely<Tables>,
      invitationHash: Uint8Array,
      now: number,
    ): Promise<Invitation | undefined> {
      const row = await selectMembers(db)
        .innerJoin('workspaces', 'workspaces.workspace_id', 'members.workspace_id')
        .select([
          'workspaces.name as workspace_name',
          'workspaces.slug as workspace_slug',
          'workspaces.user_id as owner_id',
        ])
        .where('members.invitation_hash', '=', invitationHash)
        .where('members.accepted_at', 'is', null)
        .where('members.invited_until', '>', now)
        .where('workspaces.deleted_at', 'is', null)
        .executeTakeFirst()
      return (
        row && {
          ...toMember(row),
          workspaceName: row.workspace_name || row.workspace_slug,
          ownerId: row.owner_id,
        }
      )
    },

    /** Invites an e-mail: a new member, or another invitation of one who has not accepted. */
    async insert(trx: Transaction, member: NewMember, now: number): Promise<void> {
      await trx.insertInto('members').values(toRow(member, now)).execute()
    },

    async update(
      trx: Transaction,
      { memberId }: Pick<Member, 'memberId'>,
      change: MemberChange,
      now: number,
    ): Promise<void> {
      await trx
        .updateTable('members')
        .set({
          updated_at: now,
          ...(change.role !== undefined && { role: change.role }),
          ...(change.extraScopes !== undefined && { extra_scopes: change.extraScopes.join(' ') }),
          ...(change.invitation !== undefined && {
            invitation_hash: change.invitation.hash,
            invited_until: change.invitation.until,
          }),
        })
        .where('member_id', '=', memberId)
        .where('ended_at', 'is', null)
        .execute()
    },

    /** Makes a person the member that was invited. */
    async accept(
      trx: Transaction,
      { memberId, workspaceId, ownerId }: Pick<Invitation, 'memberId' | 'workspaceId' | 'ownerId'>,
      userId: UserId,
      now: number,
    ): Promise<void> {
      const tokenId = await insertMemberToken(trx, { ownerId, workspaceId, parentId: null, now })
      await trx
        .updateTable('members')
        .set({
          user_id: userId,
          token_id: tokenId,
          root_token_id: tokenId,
          invitation_hash: null,
          invited_until: null,
          accepted_at: now,
          updated_at: now,
        })
        .where('member_id', '=', memberId)
        .execute()
    },

    /**
     * Gives a member another member token. With `isRevoked`, the former ones end, with the sessions and the access tokens that descend
     * from them; otherwise it descends from the first one.
     *
     * @returns how many access tokens were revoked
     */
    async replaceToken(
      trx: Transaction,
      { memberId, workspaceId, rootTokenId }: Member,
      { ownerId, isRevoked, now }: { ownerId: UserId; isRevoked: boolean; now: number },
    ): Promise<number> {
      if (rootTokenId === null) return 0
      const revoked = isRevoked ? await revokeFamily(trx, ownerId, rootTokenId, now) : 0
      const parentId = isRevoked ? null : rootTokenId
      const tokenId = await insertMemberToken(trx, { ownerId, workspaceId, parentId, now })
      await trx
        .updateTable('members')
        .set({ token_id: tokenId, ...(isRevoked && { root_token_id: tokenId }) })
        .where('member_id', '=', memberId)
        .execute()
      return revoked
    },

    /** Ends a membership or an invitation. Returns how many access tokens were revoked. */
    async end(
      trx: Transaction,
      { memberId, rootTokenId }: Member,
      ownerId: UserId,
      now: number,
    ): Promise<number> {
      await trx
        .updateTable('members')
        .set({ ended_at: now, updated_at: now, invitation_hash: null })
        .where('member_id', '=', memberId)
        .where('ended_at', 'is', null)
        .execute()
      return rootTokenId === null ? 0 : revokeFamily(trx, ownerId, rootTokenId, now)
    },

    /** Makes a person the owner-member of each workspace that they own and that has none yet, such as a new one. */
    async addOwners(owner: Pick<User, 'userId' | 'email'>, now: number): Promise<void> {
      // Every request of a session asks.
      const { userId } = owner
      const missing = await withoutOwner.first({ userId })
      if (missing !== undefined) await addOwners(database, owner, now)
    },
  }
}

export type MemberStore = ReturnType<typeof createMemberStore>

/** A member who has not accepted yet, with what the page says about the workspace. */
export interface Invitation extends Member {
  readonly workspaceName: string
  /** Whose workspace it is. */
  readonly ownerId: UserId
}

/** A member to be stored. */
export interface NewMember
  extends Pick<Member, 'memberId' | 'workspaceId' | 'email' | 'role' | 'extraScopes'> {
  /** Absent for a person who joins without one. */
  readonly invitation?: NewInvitation
}

interface NewInvitation {
  /** SHA-256 of the secret. */
  readonly hash: Uint8Array
  readonly until: number
}

export interface MemberChange {
  readonly role?: Role
  readonly extraScopes?: readonly string[]
  readonly invitation?: NewInvitation
}

function selectMembers(db: Kysely<Tables>) {
  return db
    .selectFrom('members')
    .leftJoin('users', 'users.user_id', 'members.user_id')
    .selectAll('members')
    .select(['users.firstname', 'users.lastname'])
    .select((eb) =>
      eb
        .selectFrom('console_sessions')
        .select((max) => max.fn.max('console_sessions.last_seen_at').as('at'))
        .whereRef('console_sessions.user_id', '=', 'members.user_id')
        .whereRef('console_sessions.workspace_id', '=', 'members.workspace_id')
        .as('last_seen_at'),
    )
    .where('members.ended_at', 'is', null)
}

interface SelectedMember extends MemberRow {
  readonly firstname: string | null
  readonly lastname: string | null
  readonly last_seen_at: number | null
}

function toMember(row: SelectedMember): Member {
  const name = `${row.firstname ?? ''} ${row.lastname ?? ''}`.trim()
  return {
    memberId: row.member_id,
    workspaceId: row.workspace_id,
    userId: row.user_id,
    email: row.email,
    name: name === '' ? null : name,
    role: row.role,
    extraScopes: row.extra_scopes === '' ? [] : row.extra_scopes.split(' '),
    tokenId: row.token_id,
    rootTokenId: row.root_token_id,
    invitedUntil: row.invited_until,
    lastSeenAt: row.last_seen_at,
    createdAt: row.created_at,
  }
}

function toRow(member: NewMember, now: number): MemberRow {
  return {
    member_id: member.memberId,
    workspace_id: member.workspaceId,
    user_id: null,
    email: member.email,
    email_key: member.email.toLowerCase(),
    role: member.role,
    extra_scopes: member.extraScopes.join(' '),
    token_id: null,
    root_token_id: null,
    invitation_hash: member.invitation?.hash ?? null,
    invited_until: member.invitation?.until ?? null,
    created_at: now,
    updated_at: now,
    accepted_at: null,
    ended_at: null,
  }
}

async function listTokens(
  db: Kysely<Tables>,
  access: WorkspaceAccess,
  workspaceId: WorkspaceId,
  now: number,
): Promise<ReadonlyMap<TokenId, MemberTokenName[]>> {
  const rows = await db
    .withRecursive('family(token_id, root_id)', (family) =>
      family
        .selectFrom('members')
        .select(['root_token_id as token_id', 'root_token_id as root_id'])
        .where('workspace_id', '=', workspaceId)
        .where('ended_at', 'is', null)
        .where('root_token_id', 'is not', null)
        .where(isAccessibleWorkspace(access, workspaceId))
        .union((more) =>
          more
            .selectFrom('tokens')
            .innerJoin('family', 'family.token_id', 'tokens.parent_token_id')
            .select(['tokens.token_id', 'family.root_id'])
            .where('tokens.origin', 'in', PARENT_ORIGINS),
        ),
    )
    .selectFrom('family')
    .innerJoin('tokens', 'tokens.token_id', 'family.token_id')
    .select(['tokens.token_id', 'tokens.name', 'family.root_id'])
    .where('origin', '=', sql.lit('minted'))
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('tokens.token_id')
    .limit(MAX_READ_TOKENS)
    .execute()
  const byRoot = new Map<TokenId, MemberTokenName[]>()
  for (const { token_id: tokenId, name, root_id: rootId } of rows) {
    if (rootId === null) continue
    const tokens = byRoot.get(rootId) ?? []
    if (tokens.length < MAX_LISTED_TOKENS) byRoot.set(rootId, [...tokens, { tokenId, name }])
  }
  return byRoot
}

const MAX_READ_TOKENS = 5_000
/** Of tokens that can be the parent of others: a session creates what must outlive it with the member token. */
const PARENT_ORIGINS = [sql.lit<'member'>('member'), sql.lit<'minted'>('minted')]

/** Revokes a member token and what descends from it. Returns how many access tokens that the member created were live. */
async function revokeFamily(
  trx: Transaction,
  ownerId: UserId,
  rootTokenId: TokenId,
  now: number,
): Promise<number> {
  const { count } = await trx
    .withRecursive('family', (db) =>
      db
        .selectFrom('tokens')
        .select('token_id')
        .where('token_id', '=', rootTokenId)
        .union((more) =>
          more
            .selectFrom('tokens')
            .innerJoin('family', 'family.token_id', 'tokens.parent_token_id')
            .select('tokens.token_id')
            .where('tokens.origin', 'in', PARENT_ORIGINS),
        ),
    )
    .selectFrom('tokens')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('token_id', 'in', (eb) => eb.selectFrom('family').select('token_id'))
    .where('origin', '=', sql.lit('minted'))
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirstOrThrow()
  await revokeWithDescendants(trx, ownerId, rootTokenId, now)
  return Number(count)
}

/** A member token: no one knows its value, so that it can only be a parent. */
async function insertMemberToken(
  trx: Transaction,
  {
    ownerId,
    workspaceId,
    parentId,
    now,
  }: {
    readonly ownerId: UserId
    readonly workspaceId: WorkspaceId
    readonly parentId: TokenId | null
    readonly now: number
  },
): Promise<TokenId> {
  const tokenId = newId('tok', now)
  await trx
    .insertInto('tokens')
    .values({
      ...createMemberTokenRow({ tokenId, ownerId, workspaceId, now }),
      parent_token_id: parentId,
    })
    .execute()
  return tokenId
}

/** The row of a token that acts for a member of a workspace; without scopes, and with a value that no one knows. */
export function createMemberTokenRow({
  tokenId,
  ownerId,
  workspaceId,
  now,
}: {
  readonly tokenId: TokenId
  readonly ownerId: UserId
  readonly workspaceId: WorkspaceId
  readonly now: number
}): Tables['tokens'] {
  return {
    token_id: tokenId,
    token_hash: crypto.getRandomValues(new Uint8Array(32)),
    user_id: ownerId,
    workspace_id: workspaceId,
    parent_token_id: null,
    name: 'console',
    scopes: '',
    origin: 'member',
    created_at: now,
    expires_at: null,
    revoked_at: null,
    expiry_recorded: 1,
    reads_per_minute: null,
    writes_per_minute: null,
    account_ids: null,
    last_used_at: null,
  }
}

function addOwners(
  database: Database,
  owner: Pick<User, 'userId' | 'email'>,
  now: number,
): Promise<void> {
  return database.transaction(
    async (trx) => {
      const missing = await selectWithoutOwner(trx).where('user_id', '=', owner.userId).execute()
      for (const { workspace_id: workspaceId } of missing)
        await insertOwner(trx, owner, workspaceId, now)
    },
    { serializable: true },
  )
}

async function insertOwner(
  trx: Transaction,
  { userId, email }: Pick<User, 'userId' | 'email'>,
  workspaceId: WorkspaceId,
  now: number,
): Promise<void> {
  const token = { ownerId: userId, workspaceId, parentId: null, now }
  const tokenId = await insertMemberToken(trx, token)
  await trx
    .insertInto('members')
    .values({
      member_id: newId('mbr', now),
      workspace_id: workspaceId,
      user_id: userId,
      email,
      email_key: email.toLowerCase(),
      role: 'owner',
      extra_scopes: '',
      token_id: tokenId,
      root_token_id: tokenId,
      invitation_hash: null,
      invited_until: null,
      created_at: now,
      updated_at: now,
      accepted_at: now,
      ended_at: null,
    })
    .execute()
}

function selectWithoutOwner(db: Kysely<Tables>) {
  return db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('deleted_at', 'is', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('members')
            .select('member_id')
            .whereRef('members.workspace_id', '=', 'workspaces.workspace_id')
            .where('members.role', '=', sql.lit('owner'))
            .where('members.ended_at', 'is', null),
        ),
      ),
    )
    .limit(MAX_NEW_OWNERS)
}

/** A first sign-in of someone with more workspaces adds the others at the next ones. */
const MAX_NEW_OWNERS = 200
