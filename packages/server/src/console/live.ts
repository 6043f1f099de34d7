import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLinchpinError, type Linchpin } from '@linchpin/sdk'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readCookie } from '../platform/http/browser-request.ts'
import { type CallApiDeps, openApi } from './call-api.ts'
import type { DefinitionNamesCache } from './definition-names.ts'
import {
  type ConsoleSession,
  findSession,
  isSessionCurrent,
  SESSION_COOKIE,
} from './sign-in/session.ts'

/** Pages that refresh when something happens in their workspace. */
export interface LiveUpdates {
  /**
   * Sends server-sent events until the browser leaves, the session ends or the service stops: `{ type, subject, sequence }` of
   * each event of the session's workspace, and a beat every five seconds. 401 without a session, 403 from another origin, 429 above the limits.
   */
  open(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  /** Ends the streams of the browser that sent this request, unless its session still is what it was. */
  check(request: FastifyRequest): Promise<void>
  /** Ends all streams; later requests get none. */
  stop(): void
}

/** Milliseconds. */
export interface LiveTiming {
  readonly beatMs: number
  /** How often it is checked that a session has not ended, such as on another node. */
  readonly checkMs: number
}

const TIMING: LiveTiming = { beatMs: 5_000, checkMs: 15_000 }
const MAX_PER_SESSION = 6
/** Or one person with many sessions could use up the streams of all. */
const MAX_PER_PERSON = 250
const MAX_STREAMS = 1_000
/** A viewer who reads slower than this is behind: the page refreshes when it connects again. */
const MAX_BUFFERED_BYTES = 64 * 1024

interface Viewer {
  readonly session: ConsoleSession
  readonly request: FastifyRequest
  readonly stream: PassThrough
}

/** The viewers of a workspace on this node. One request of one of their sessions waits for events, and all get them. */
interface Channel {
  readonly viewers: Set<Viewer>
  /** Aborted when the last viewer has left. */
  readonly closing: AbortController
  /** Resolved when no event from now on is missed. */
  readonly isFollowed: PromiseWithResolvers<void>
}

interface LiveDeps extends CallApiDeps {
  readonly definitionNames: Pick<DefinitionNamesCache, 'forget'>
}

/** Creates the streams of this node: per workspace with viewers, one request waits for its events. */
export function createLiveUpdates(deps: LiveDeps, timing: LiveTiming = TIMING): LiveUpdates {
  const channels = new Map<string, Channel>()
  let isStopped = false
  const listViewers = () => [...channels.values()].flatMap(({ viewers }) => [...viewers])
  const beats = setInterval(() => {
    for (const viewer of listViewers()) send(viewer, 'event: beat\ndata: {}\n\n')
  }, timing.beatMs).unref()
  const checks = setInterval(() => {
    for (const viewer of listViewers()) void endIfOver(deps, viewer)
  }, timing.checkMs).unref()

  function add(viewer: Viewer): Promise<void> {
    const { workspaceId } = viewer.session.membership
    const channel = channels.get(workspaceId) ?? {
      viewers: new Set<Viewer>(),
      closing: new AbortController(),
      isFollowed: Promise.withResolvers<void>(),
    }
    channel.viewers.add(viewer)
    viewer.stream.once('close', () => {
      channel.viewers.delete(viewer)
      if (channel.viewers.size > 0) return
      channel.closing.abort()
      if (channels.get(workspaceId) === channel) channels.delete(workspaceId)
    })
    if (!channels.has(workspaceId)) {
      channels.set(workspaceId, channel)
      void follow(deps, channel).finally(channel.isFollowed.resolve)
    }
    return channel.isFollowed.promise
  }

  return {
    async open(request, reply) {
      // A sibling domain would send the cookie, too.
      if ((request.headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin')
        return refuse(reply, 403)
      const session = await findSession(deps, request)
      if (session === undefined || isStopped)
        return refuse(reply, session === undefined ? 401 : 503)
      const viewers = listViewers()
      const own = viewers.filter(({ session: { userId } }) => userId === session.userId)
      const here = own.filter((each) => each.session.sessionId === session.sessionId)
      if (
        here.length >= MAX_PER_SESSION ||
        own.length >= MAX_PER_PERSON ||
        viewers.length >= MAX_STREAMS
      )
        return refuse(reply, 429)
      const viewer = { session, request, stream: new PassThrough() }
      await add(viewer)
      send(viewer, 'event: beat\ndata: {}\n\n')
      return reply
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .header('cross-origin-resource-policy', 'same-origin')
        .header('x-content-type-options', 'nosniff')
        .type('text/event-stream')
        .send(viewer.stream)
    },
    async check(request) {
      const secret = readCookie(request, SESSION_COOKIE, deps.consoleUrl())
      const own = listViewers().filter(({ session }) => session.secret === secret)
      await Promise.all(own.map((viewer) => endIfOver(deps, viewer)))
    },
    stop() {
      isStopped = true
      clearInterval(beats)
      clearInterval(checks)
      for (const { stream } of listViewers()) stream.end()
      for (const { closing } of channels.values()) closing.abort()
    },
  }
}

function refuse(reply: FastifyReply, status: number): FastifyReply {
  return reply.code(status).header('cache-control', 'no-store').send()
}

function send({ stream }: Viewer, text: string): void {
  if (stream.writableLength > MAX_BUFFERED_BYTES) stream.destroy()
  else if (!stream.writableEnded) stream.write(text)
}

async function endIfOver(deps: CallApiDeps, { request, session, stream }: Viewer): Promise<void> {
  // A failure of the storage must not send everyone to the sign-in.
  const isCurrent = await isSessionCurrent(deps, request, session).catch(() => true)
  if (!isCurrent) stream.end()
}

/** Waits for the events of a workspace while it has viewers, and sends them to all. */
async function follow(deps: LiveDeps, { viewers, closing, isFollowed }: Channel): Promise<void> {
  const { signal } = closing
  let after: number | undefined
  while (!signal.aborted) {
    const [viewer] = viewers
    if (viewer === undefined) return
    try {
      const api = await openApi(deps, viewer.session, 'normal', viewer.request)
      after ??= await findEnd(api, signal)
      isFollowed.resolve()
      for (;;) after = await sendNext(deps, api, viewers, after, signal)
    } catch (error) {
      isFollowed.resolve()
      if (signal.aborted) return
      // The events after it are no longer stored.
      if (isLinchpinError(error, 'events_gone')) after = undefined
      await endIfOver(deps, viewer)
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }
}

/** Waits for the next events. @returns the sequence number to continue after */
async function sendNext(
  { definitionNames }: LiveDeps,
  api: Linchpin,
  viewers: ReadonlySet<Viewer>,
  after: number | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  const startedAt = performance.now()
  const options = { timeoutMs: WAIT_TIMEOUT_MS, signal }
  const { items, nextCursor } = await api.events
    .list({ after, wait: WAIT_SECONDS, limit: 1_000 }, options)
    .page()
  if (items.some(({ type }) => type.startsWith('definition.'))) definitionNames.forget()
  // A page refreshes once for many.
  const text = items
    .slice(-MAX_AT_ONCE)
    .map(({ type, subject, sequence }) => JSON.stringify({ type, subject, sequence }))
    .map((line) => `data: ${line}\n\n`)
    .join('')
  if (text !== '') for (const viewer of viewers) send(viewer, text)
  else if (performance.now() - startedAt < RETRY_MS) await sleep(RETRY_MS, undefined, { signal })
  return nextCursor === undefined ? after : Number(nextCursor)
}

const WAIT_SECONDS = 25
const WAIT_TIMEOUT_MS = 40_000
/** After a failure, or when the service responds at once although nothing happened. */
const RETRY_MS = 1_000
const MAX_AT_ONCE = 50

/** The sequence number of the last event; undefined if none is stored. */
async function findEnd(api: Linchpin, signal: AbortSignal): Promise<number | undefined> {
  const [last] = await api.events.list({ order: '-sequence', limit: 1 }, { signal }).first(1)
  return last?.sequence
}
