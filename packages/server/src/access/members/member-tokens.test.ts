import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, it } from 'node:test'
import { createRandom } from '../../../test/create-random.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { type TestContext, testContext } from '../../../test/test-context.ts'
import { createSignInStore } from '../../console/sign-in/sign-in-store.ts'
import { type Id, newId } from '../../platform/storage/id.ts'
import { createSampleRows } from '../../platform/storage/test/sample-rows.ts'
import type { Caller } from '../auth/caller.ts'
import { SCOPES } from '../auth/caller.ts'
import { createToken } from '../tokens/token-operations.ts'
import { createTokenStore } from '../tokens/token-store.ts'
import { createUserStore } from '../users/user-store.ts'
import { createWorkspaceStore } from '../workspaces/workspace-store.ts'
import { acceptInvitation, readInvitation } from './invitation.ts'
import { deleteMember, inviteMember, listMembers, updateMember } from './member-operations.ts'
import { createMemberStore } from './member-store.ts'
import { EXTRA_SCOPES, GIVEN_ROLES, getRoleScopes } from './roles.ts'

const STEPS = 400

describeOnBothDatabases('The tokens of members', (newUrl: NewDatabaseUrl) => {
  let t: TestContext
  before(async () => {
    t = await testContext({ url: await newUrl() })
  })
  after(() => t.close())

  it('are live only while their member is, and have no more scopes than the role, after random changes at the same time', async (test) => {
    const seed = randomInt(2 ** 31)
    test.diagnostic(`seed ${seed}`)
    const random = createRandom(seed)
    const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T
    const deps = createDeps(t)
    const owner = await createOwner(t)
    const act = async (): Promise<void> => {
      const members = (await listMembers(deps, owner)).filter(({ role }) => role !== 'owner')
      const member = members.length === 0 ? undefined : pick(members)
      const role = pick(GIVEN_ROLES)
      const extraScopes = EXTRA_SCOPES.filter(() => random() < 0.3)
      const kind = random()
      if (member === undefined || (kind < 0.2 && members.length < 12)) await join(deps, owner, role)
      else if (kind < 0.6) await useConsole(deps, member.memberId as Id<'mbr'>)
      else if (kind < 0.85) await updateMember(deps, owner, member.memberId, { role, extraScopes })
      else await deleteMember(deps, owner, member.memberId)
    }
    let refused = 0
    for (let step = 0; step < STEPS; step += 4) {
      const results = await Promise.allSettled([act(), act(), act(), act()])
      for (const result of results)
        if (result.status === 'rejected') {
          refused += 1
          assert.match(String(result.reason.code), /^(?:token_invalid|member_not_found)$/)
        }
    }
    const { created, live, wrong } = await findWrongTokens(t)
    test.diagnostic(
      `${live} of ${created} tokens are live, ${refused} of ${STEPS} changes came too late`,
    )
    assert.deepEqual(wrong, [])
    assert.ok(created > 100, `${created}`)
  })
})

type Deps = ReturnType<typeof createDeps>

function createDeps({ database }: Pick<TestContext, 'database'>) {
  return {
    database,
    members: createMemberStore(database),
    users: createUserStore(database),
    workspaces: createWorkspaceStore(database),
    tokens: createTokenStore(database),
    signIns: createSignInStore(database),
    consoleUrl: () => 'http://localhost',
    now: Date.now,
  }
}

async function createOwner({ database }: Pick<TestContext, 'database'>): Promise<Caller> {
  const { token_id, user_id } = await database.read
    .selectFrom('tokens')
    .select(['token_id', 'user_id'])
    .orderBy('token_id')
    .limit(1)
    .executeTakeFirstOrThrow()
  return {
    tokenId: token_id,
    userId: user_id,
    boundWorkspaceId: null,
    scopes: new Set(SCOPES),
    expiresAt: null,
    requestId: 'test',
  }
}

async function join(deps: Deps, owner: Caller, role: (typeof GIVEN_ROLES)[number]) {
  const email = `${newId('mbr', Date.now())}@example.com`
  const { invitationUrl } = await inviteMember(deps, owner, { email, role })
  const request = { requestId: 'test', ip: null }
  const { outcome } = await acceptInvitation(
    deps,
    readInvitation(invitationUrl),
    { name: 'Grace' },
    request,
  )
  assert.equal(outcome, 'accepted')
}

/** Opens the console as a member, at both levels, and creates an access token in it. */
async function useConsole({ signIns, ...deps }: Deps, memberId: Id<'mbr'>): Promise<void> {
  const { user_id } = await deps.database.read
    .selectFrom('members')
    .select('user_id')
    .where('member_id', '=', memberId)
    .executeTakeFirstOrThrow()
  if (user_id === null) return
  const membership = (await signIns.listMemberships(user_id)).find(
    (each) => each.memberId === memberId,
  )
  if (membership === undefined) return
  const now = Date.now()
  const sessionId = newId('ses', now)
  await deps.database.transaction((trx) =>
    signIns.insertSession(trx, {
      ...createSampleRows(now).console_sessions,
      session_id: sessionId,
      secret_hash: crypto.getRandomValues(new Uint8Array(32)),
      user_id,
      workspace_id: membership.workspaceId,
    }),
  )
  for (const level of ['normal', 'elevated'] as const) {
    const scopes = getRoleScopes(membership.role, level, membership.extraScopes)
    const tokenHash = crypto.getRandomValues(new Uint8Array(32))
    const wasInserted = await signIns.insertToken({
      sessionId,
      userId: user_id,
      membership,
      isBound: true,
      tokenHash,
      scopes,
      createdAt: now,
      expiresAt: now + 60_000,
    })
    if (!wasInserted) return
    const { token_id } = await deps.database.read
      .selectFrom('tokens')
      .select('token_id')
      .where('token_hash', '=', tokenHash)
      .executeTakeFirstOrThrow()
    const caller: Caller = {
      tokenId: token_id,
      userId: membership.ownerId,
      personId: user_id,
      via: 'console',
      boundWorkspaceId: membership.workspaceId,
      scopes: new Set(scopes),
      expiresAt: now + 60_000,
      requestId: 'test',
    }
    await createToken(deps, caller, { name: 'mine', scopes: [...scopes] as 'read'[] })
  }
}

/** The live tokens of members, and those among them that should not be live or have too many scopes. */
async function findWrongTokens({ database }: Pick<TestContext, 'database'>) {
  const tokens = await database.read.selectFrom('tokens').selectAll().execute()
  const members = await database.read.selectFrom('members').selectAll().execute()
  const byId = new Map(tokens.map((row) => [row.token_id, row]))
  const findRoot = (tokenId: Id<'tok'>): Id<'tok'> => {
    const parent = byId.get(tokenId)?.parent_token_id
    return parent == null ? tokenId : findRoot(parent)
  }
  const live = tokens.filter(
    ({ origin, revoked_at }) =>
      revoked_at === null && ['member', 'minted', 'session'].includes(origin ?? ''),
  )
  const wrong = live.flatMap((row) => {
    const member = members.find(({ root_token_id }) => root_token_id === findRoot(row.token_id))
    if (member === undefined || member.ended_at !== null) return [`${row.origin} without a member`]
    if (row.origin === 'member') return []
    const extra = member.extra_scopes === '' ? [] : member.extra_scopes.split(' ')
    const allowed = getRoleScopes(member.role, 'elevated', extra)
    const more = row.scopes.split(' ').filter((scope) => !allowed.includes(scope))
    return more.length === 0 ? [] : [`${row.origin} of ${member.role} with ${more}`]
  })
  return { created: tokens.length, live: live.length, wrong }
}
