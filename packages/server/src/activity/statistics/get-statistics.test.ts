import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { createRandom } from '../../../test/create-random.ts'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { type Id, newId } from '../../platform/storage/id.ts'
import {
  createStatistics,
  METRICS,
  type Metric,
  RETENTION_DAYS,
  STEP_MS,
  type StatisticsEvent,
  type Step,
  toStart,
} from './statistics.ts'
import {
  createStatisticsStore,
  createStatisticsWriter,
  deleteOldStatistics,
} from './statistics-store.ts'

const NOON = Date.parse('2026-11-22T12:30:00.000Z')
const NAMES = Object.keys(METRICS) as Metric[]
const EVENTS = NAMES.filter((name) => name !== 'proxy_ms')

describeOnBothDatabases('GET /v1/statistics', (newUrl) => {
  let t: TestContext
  let now = NOON - STEP_MS.day
  let definitionId: Id<'def'>
  let key: string
  before(async () => {
    t = await testContext({ url: await newUrl(), now: () => now })
    const definition = await t.createDefinition()
    definitionId = definition.integrationDefinitionId as Id<'def'>
    key = definition.key
    // The first workspace is the oldest.
    now = NOON
  })
  after(() => t.close())

  const get = async (query: string, token?: string): Promise<AnyBody> =>
    expectOk(await t.call('GET', `/v1/statistics?${query}`, token === undefined ? {} : { token }))
  /** Counts events in a workspace of its own, and returns its ID. */
  const count = async (
    events: readonly (Omit<StatisticsEvent, 'workspaceId'> & { readonly at?: number })[],
  ): Promise<Id<'wsp'>> => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
    for (const { at = NOON, ...event } of events) {
      now = at
      t.statistics.add({ workspaceId, ...event })
    }
    now = NOON
    await t.statistics.flush()
    return workspaceId
  }

  it('200: a series for each metric in the order of the request, whose points are those with events', async () => {
    const workspaceId = await count([
      { metric: 'connects', at: NOON - 30 * 60_000 },
      { metric: 'connects', at: NOON - 31 * 60_000 },
      { metric: 'connects', at: NOON - 23 * STEP_MS.hour },
      { metric: 'proxy_calls', value: 12, at: NOON },
      { metric: 'proxy_calls', value: 30, at: NOON },
    ])
    const query = `workspaceId=${workspaceId}&metrics=proxy_ms,connects,proxy_calls&metrics=opens`
    assert.deepEqual(await get(`${query}&step=hour`), {
      step: 'hour',
      series: [
        { metric: 'proxy_ms', key: null, points: [['2026-11-22T12:00:00.000Z', 2, 42]] },
        {
          metric: 'connects',
          key: null,
          points: [
            ['2026-11-21T13:00:00.000Z', 1, 0],
            ['2026-11-22T11:00:00.000Z', 1, 0],
            ['2026-11-22T12:00:00.000Z', 1, 0],
          ],
        },
        { metric: 'proxy_calls', key: null, points: [['2026-11-22T12:00:00.000Z', 2, 0]] },
        { metric: 'opens', key: null, points: [] },
      ],
    })
    const { step, series } = await get(query)
    assert.equal(step, 'day')
    assert.deepEqual(series[1].points, [
      ['2026-11-21T00:00:00.000Z', 1, 0],
      ['2026-11-22T00:00:00.000Z', 2, 0],
    ])
  })

  it('200: the step in which `from` is counts as a whole, and that which begins at `to` does not', async () => {
    const times = [-2, -1, 0, 1].map((hours) => toStart('hour', NOON) + hours * STEP_MS.hour)
    const workspaceId = await count(times.map((at) => ({ metric: 'opens', at })))
    const hours = async (from: string, to: string) => {
      const { series } = await get(
        `workspaceId=${workspaceId}&metrics=opens&step=hour&from=${from}&to=${to}`,
      )
      return series[0].points.map(([time]: [string]) => time.slice(11, 13))
    }
    assert.deepEqual(await hours('2026-11-22T11:59:59Z', '2026-11-22T13:00:00Z'), ['11', '12'])
    assert.deepEqual(await hours('2026-11-22T12:00:00Z', '2026-11-22T13:00:00.001Z'), ['12', '13'])
    assert.deepEqual(await hours('2026-11-22T13:00:00%2B01:00', '2026-11-22T12:00:01Z'), ['12'])
  })

  it('200: by code and by tool, those with most events first, and of one tool by its ID or key', async () => {
    const other = (await t.createDefinition({ name: 'Other' })).integrationDefinitionId
    const fail = (id: string | null, code: string, times: number) =>
      Array.from({ length: times }, () => ({
        metric: 'connect_failures' as const,
        definitionId: id as Id<'def'>,
        code,
      }))
    for (const event of [
      ...fail(definitionId, 'link_full', 1),
      ...fail(other, 'link_full', 4),
      ...fail(null, 'session_expired', 2),
    ])
      t.statistics.add({ workspaceId: t.workspaceId, ...event })
    await t.statistics.flush()
    const read = async (query: string) => {
      const { series } = await get(`metrics=connect_failures&${query}`)
      return series.map(({ key, points }: AnyBody) => [key, points[0]?.[1]])
    }
    assert.deepEqual(await read(''), [[null, 7]])
    assert.deepEqual(await read('by=code'), [
      ['link_full', 5],
      ['session_expired', 2],
    ])
    assert.deepEqual(await read('by=definition'), [
      [other, 4],
      [definitionId, 1],
    ])
    for (const reference of [definitionId, key]) {
      assert.deepEqual(await read(`integrationDefinitionId=${reference}`), [[null, 1]])
      assert.deepEqual(await read(`integrationDefinitionId=${reference}&by=code`), [
        ['link_full', 1],
      ])
      assert.deepEqual(await read(`integrationDefinitionId=${reference}&by=definition`), [
        [definitionId, 1],
      ])
    }
    for (const unknown of ['no_such_tool', newId('def', 0)]) {
      assert.deepEqual(await read(`integrationDefinitionId=${unknown}`), [[null, undefined]])
      assert.deepEqual(await read(`integrationDefinitionId=${unknown}&by=code`), [])
    }
  })

  it('400 with a sentence for every wrong parameter', async () => {
    const iso = (time: number) => new Date(time).toISOString()
    for (const [query, field, message] of [
      ['', 'metrics', /required/],
      ['metrics=', 'metrics', /^Each must be one of opens, attempts, /],
      ['metrics=opens,nonsense', 'metrics', /^Each must be one of opens, attempts, /],
      ['metrics=__proto__', 'metrics', /^Each must be one of/],
      ['metrics=toString', 'metrics', /^Each must be one of/],
      [`metrics=${'opens,'.repeat(20)}opens`, 'metrics', /^Must not have more than 20 metrics\.$/],
      [Array(21).fill('metrics=opens').join('&'), 'metrics', /20/],
      ['metrics=opens&step=minute', 'step', /hour, day/],
      ['metrics=opens&by=account', 'by', /code, definition/],
      ['metrics=opens&from=yesterday', 'from', /date-time/],
      ['metrics=opens&to=2026-02-30T00:00:00Z', 'to', /date-time|a time such as/],
      [`metrics=opens&from=${iso(NOON)}&to=${iso(NOON - 1)}`, 'from', /^Must be before `to`\.$/],
      [`metrics=opens&from=${iso(NOON)}&to=${iso(NOON)}`, 'from', /^Must be before `to`\.$/],
      [
        `metrics=opens&from=${iso(NOON + 1)}`,
        'from',
        /^Must be before now, or `to` must be given, too\.$/,
      ],
      [
        `metrics=opens&step=hour&from=${iso(NOON - 1_000 * STEP_MS.hour)}`,
        'from',
        /^There must not be more than 1,000 hours until `to`: shorten the period, or set `step` to day\.$/,
      ],
      [
        `metrics=opens&from=2020-01-01T00:00:00Z`,
        'from',
        /^There must not be more than 1,000 days until `to`\.$/,
      ],
      ['metrics=opens&from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59Z', 'from', /1,000 days/],
      [
        `metrics=opens&integrationDefinitionId=${'x'.repeat(256)}`,
        'integrationDefinitionId',
        /255/,
      ],
      ['metrics=opens&x=1', 'x', /./],
    ] as const) {
      const error = expectError(await t.call('GET', `/v1/statistics?${query}`), 'invalid_parameter')
      assert.match(
        error.errors[field]?.[0]?.message ?? '',
        message,
        `${query}: ${JSON.stringify(error.errors)}`,
      )
    }
    const most = `from=${iso(toStart('hour', NOON) - 999 * STEP_MS.hour)}&to=${iso(toStart('hour', NOON) + STEP_MS.hour)}`
    await get(`metrics=opens&step=hour&${most}`)
  })

  it('400 for more than 20,000 points', async () => {
    const workspaceId = await count([])
    const events = Array.from({ length: 29 }, (_, tool) => newId('def', tool))
    const rows = events.flatMap((definition_id) =>
      Array.from({ length: 700 }, (_, index) => ({
        workspace_id: workspaceId,
        step: 'hour' as const,
        definition_id,
        metric: 'opens',
        code: '',
        bucket: toStart('hour', NOON) - index * STEP_MS.hour,
        count: 1,
        sum: 0,
      })),
    )
    for (let at = 0; at < rows.length; at += 1_000)
      await t.database.transaction((trx) =>
        trx
          .insertInto('statistics')
          .values(rows.slice(at, at + 1_000))
          .execute(),
      )
    const query = (hours: number) =>
      `workspaceId=${workspaceId}&metrics=opens&step=hour&by=definition&from=${new Date(NOON - hours * STEP_MS.hour).toISOString()}`
    const { series } = await get(query(600))
    assert.equal(series.length, 29)
    const error = expectError(
      await t.call('GET', `/v1/statistics?${query(699)}`),
      'invalid_parameter',
    )
    assert.match(error.errors.by[0].message, /^The statistics have more than 20,000 points/)
  })

  itRequiresScope(() => t, 'GET', '/v1/statistics?metrics=opens', { scope: 'read' })

  it('403 for tokens of accounts, and for a workspace of another user or token, whose own are empty', async () => {
    await count([])
    t.statistics.add({ workspaceId: t.workspaceId, metric: 'opens' })
    await t.statistics.flush()
    const other = await t.otherUser()
    const own = await get('metrics=opens&by=code', other.token)
    assert.deepEqual(own.series, [])
    const path = `/v1/statistics?metrics=opens&workspaceId=${t.workspaceId}`
    expectError(await t.call('GET', path, { token: other.token }), 'workspace_not_accessible')
    const elsewhere = await t.createToken({ workspaceId: await count([]), scopes: ['read'] })
    expectError(await t.call('GET', path, { token: elsewhere }), 'workspace_not_accessible')
    const { series } = await get('metrics=opens', elsewhere)
    assert.deepEqual(series, [{ metric: 'opens', key: null, points: [] }])
    const { integrationAccountId } = await t.createAccount(definitionId)
    const bound = await t.createToken({
      workspaceId: t.workspaceId,
      integrationAccountIds: [integrationAccountId],
      scopes: ['read'],
    })
    expectError(await t.call('GET', path, { token: bound }), 'insufficient_scope')
  })

  it('has points in its store only for those who can access the workspace', async () => {
    t.statistics.add({ workspaceId: t.workspaceId, metric: 'opens' })
    await t.statistics.flush()
    const { userId } = await t.otherUser()
    const { user_id: owner } = await t.database.read
      .selectFrom('workspaces')
      .select('user_id')
      .where('workspace_id', '=', t.workspaceId)
      .executeTakeFirstOrThrow()
    const store = createStatisticsStore(t.database)
    const count = async (access: WorkspaceAccess) => {
      const period = { step: 'day', from: NOON - STEP_MS.day, to: NOON } as const
      const filter = { workspaceId: t.workspaceId, metrics: ['opens'] as const, ...period }
      return (await store.read(access, filter)).length
    }
    assert.equal(await count({ userId: owner, boundWorkspaceId: null }), 1)
    assert.equal(await count({ userId: owner, boundWorkspaceId: newId('wsp', 0) }), 0)
    assert.equal(await count({ userId: userId as Id<'usr'>, boundWorkspaceId: null }), 0)
    const isBound = { userId: userId as Id<'usr'>, boundWorkspaceId: t.workspaceId }
    assert.equal(await count(isBound), 0)
  })

  it('adds up what several nodes count at once, over 400 days and any question', async (context) => {
    const seed = Number(process.env.LINCHPIN_TEST_SEED ?? Date.now() % 1e9)
    context.diagnostic(`LINCHPIN_TEST_SEED=${seed}`)
    const random = createRandom(seed)
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
    const workspaceId = await count([])
    const nodes = Array.from({ length: 3 }, () =>
      createStatistics({
        write: createStatisticsWriter(t.database),
        log: { warn: (detail: unknown) => assert.fail(String((detail as { err: unknown }).err)) },
        now: () => now,
        flushIntervalMs: 2 ** 30,
      }),
    )
    const tools = [null, ...Array.from({ length: 3 }, (_, index) => newId('def', index))]
    const events: (StatisticsEvent & { readonly at: number })[] = []
    for (let round = 0; round < 12; round += 1) {
      for (let index = 0; index < 60; index += 1) {
        now = NOON - Math.floor(random() ** 3 * 400 * STEP_MS.day)
        const event = {
          workspaceId,
          metric: pick(EVENTS),
          definitionId: pick(tools),
          code: pick([null, 'link_full', 'timeout']),
          value: Math.floor(random() * 1_000),
        }
        events.push({ ...event, at: now })
        pick(nodes).add(event)
      }
      await Promise.all(nodes.map((node) => node.flush()))
    }
    now = NOON
    for (let index = 0; index < 60; index += 1) {
      const step = pick(['hour', 'day'] as const satisfies readonly Step[])
      const to = NOON - Math.floor(random() ** 2 * 300 * STEP_MS.day)
      const from = to - 1 - Math.floor(random() * 900 * STEP_MS[step])
      const metric = pick(NAMES)
      const tool = pick([...tools, ...tools.slice(0, 1)])
      const by = pick([undefined, 'code', 'definition'] as const)
      const query = new URLSearchParams({
        workspaceId,
        metrics: metric,
        step,
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        ...(tool !== null && { integrationDefinitionId: tool }),
        ...(by !== undefined && { by }),
      })
      const expected = new Map<string, [number, number]>()
      for (const event of events) {
        const key = by === 'code' ? event.code : by === 'definition' ? event.definitionId : ''
        const start = toStart(step, event.at)
        if (
          event.metric !== (metric === 'proxy_ms' ? 'proxy_calls' : metric) ||
          key == null ||
          (tool !== null && event.definitionId !== tool)
        )
          continue
        if (start < toStart(step, from) || start >= to) continue
        const [events_ = 0, sum = 0] = expected.get(`${key} ${start}`) ?? []
        expected.set(`${key} ${start}`, [
          events_ + 1,
          sum + (metric === 'proxy_ms' ? (event.value ?? 0) : 0),
        ])
      }
      const { series } = await get(String(query))
      const found = series.flatMap(({ key, points }: AnyBody) =>
        points.map(([time, events_, sum]: [string, number, number]) => [
          `${key ?? ''} ${Date.parse(time)}`,
          [events_, sum],
        ]),
      )
      assert.deepEqual(new Map(found), expected, `seed ${seed}: ${query}`)
      for (const { points } of series)
        assert.deepEqual(
          points,
          points.toSorted(([a]: [string], [b]: [string]) => (a < b ? -1 : 1)),
        )
    }
  })

  it('is retained as hours for 35 days and as days for 400', async () => {
    const at = (days: number) => NOON - days * STEP_MS.day
    const workspaceId = await count(
      [34, 36, 399, 401].map((days) => ({ metric: 'opens', at: at(days) })),
    )
    await deleteOldStatistics(t.database, NOON)
    const rows = await t.database.read
      .selectFrom('statistics')
      .select(['step', 'bucket'])
      .where('workspace_id', '=', workspaceId)
      .execute()
    const days = (step: Step) =>
      rows
        .filter((row) => row.step === step)
        .map(({ bucket }) =>
          Math.round((toStart('day', NOON) - toStart('day', Number(bucket))) / STEP_MS.day),
        )
        .sort((one, other) => one - other)
    assert.deepEqual([days('hour'), days('day')], [[34], [34, 36, 399]])
    assert.deepEqual(RETENTION_DAYS, { hour: 35, day: 400 })
  })

  it('counts nothing for workspaces that are deleted or unknown, and everything for the others', async () => {
    const gone = await count([{ metric: 'opens' }])
    expectOk(await t.call('DELETE', `/v1/workspace/${gone}`))
    const living = await count([])
    for (const workspaceId of [gone, living, newId('wsp', 0)])
      t.statistics.add({ workspaceId, metric: 'opens' })
    await t.statistics.flush()
    const rows = await t.database.read
      .selectFrom('statistics')
      .select('workspace_id')
      .where('workspace_id', 'in', [gone, living])
      .execute()
    assert.deepEqual(
      rows.map((row) => row.workspace_id),
      [living, living],
    )
  })
})
