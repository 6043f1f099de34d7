import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '../errors.ts'
import { type Translate, toApiError } from '../http/failures.ts'
import { noteFailure } from '../http/log.ts'
import { button } from '../page/components/button.ts'
import type { Html } from '../page/html.ts'
import { againUrl } from './address/again-url.ts'
import { formQuery } from './address/page-query.ts'
import { bareShell } from './open/load-page.ts'
import type { RateLimit, RateLimits } from './rate-limits.ts'
import type { Shell } from './view/page.ts'
import { sendScreen } from './view/send-screen.ts'
import { type Stop, stopScreen } from './view/stops.ts'
import { toldScreen } from './view/told.ts'

/** A request for a page, its address read. */
export interface PageCall {
  readonly linkId: string
  /** The query as it came: the parser of the API would refuse what old embeddings send. */
  readonly given: URLSearchParams
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

type Answer = (call: PageCall) => Promise<FastifyReply>

/** Ties addresses to pages. Whoever comes too often reads a page too, and so does whoever meets a failure. */
export interface PageRouter {
  get(url: string, answer: Answer): void
  post(url: string, answer: Answer): void
}

/** The wildcard has no `linkId`. */
type Params = { Params: { linkId?: string } }
type PageConfig = { rawQuery: boolean }

export function createPageRouter(
  app: FastifyInstance,
  limits: RateLimits,
  translate: Translate,
): PageRouter {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  )
  app.setErrorHandler((error, request, reply) => {
    const failure = toApiError(error, translate)
    noteFailure(request, failure)
    const shell = bareShell(request, 'page', queryOf(request))
    const why = whyStopped(failure, request)
    const again = why === 'unknownLink' ? undefined : placeOf(request)
    return sendScreen(reply, shell, stopScreen(shell, why, { again }))
  })
  const options = { config: { rawQuery: true }, schema: { hide: true } }
  return {
    get: (url, answer) =>
      void app.get<Params, PageConfig>(url, options, limited(limits, limits.open, answer)),
    post: (url, answer) =>
      void app.post<Params, PageConfig>(url, options, limited(limits, limits.send, answer)),
  }
}

function limited({ guesses }: RateLimits, limit: RateLimit, answer: Answer) {
  return async (request: FastifyRequest<Params>, reply: FastifyReply): Promise<FastifyReply> => {
    const given = queryOf(request)
    const { linkId = '' } = request.params
    const seconds = (await limit(request)) || (await guesses.wait(request, linkId))
    if (seconds === 0) {
      await answer({ linkId, given, request, reply })
      if (reply.statusCode === 404) await guesses.missed(request)
      return reply
    }
    const shell = bareShell(request, 'page', given)
    const told = shell.words.states.rateLimited({ seconds })
    const buttons = [againButton(shell, placeOf(request))]
    const looks = { status: 429, mark: 'wait', retryAfter: seconds, buttons } as const
    return sendScreen(reply, shell, toldScreen('rateLimited', told, looks))
  }
}

function whyStopped({ statusCode }: ApiError, { method }: FastifyRequest): Stop {
  if (statusCode >= 500) return 'busy'
  return method === 'GET' ? 'unknownLink' : 'notOurs'
}

/** Where the person was, or wanted to go. */
function placeOf(request: FastifyRequest): string | undefined {
  const { linkId } = request.params as Params['Params']
  const { body } = request
  const given = formQuery(queryOf(request), body instanceof URLSearchParams ? body : NO_FORM)
  const isFrame = request.routeOptions.url?.includes('/link/frame/') === true
  return againUrl(isFrame ? 'frame' : 'page', linkId, given)
}

const NO_FORM = new URLSearchParams()

function againButton({ words }: Shell, href: string | undefined): Html | undefined {
  const text = words.action.tryAgain
  return href === undefined ? undefined : button({ text, href, attributes: { 'data-go': true } })
}

function queryOf({ originalUrl }: FastifyRequest): URLSearchParams {
  const at = originalUrl.indexOf('?')
  return new URLSearchParams(at === -1 ? '' : originalUrl.slice(at + 1))
}
