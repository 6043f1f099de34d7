import type { FastifyReply, FastifyRequest } from 'fastify'
import { isId } from '../../storage/id.ts'
import { settingsOf } from '../../workspace/settings-of.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import { bareShell } from '../open/load-page.ts'
import type { Shell } from '../view/page.ts'
import { sendScreen } from '../view/send-screen.ts'
import { stopScreen } from '../view/stops.ts'
import { frameOrigins } from './frame-origins.ts'

/** Frames within frames that anybody would be told of. */
const MAX_ORIGINS = 8

/**
 * Says to a page whose frame stayed empty why: there is no such link, its origin is not listed, or neither (`listed`). The
 * page that asks names itself and those around it, and they alone may hold the answer. Nothing stands in it that anybody
 * could not read: a link that is unknown answers 404, and the policy of one that is known names its origins.
 */
export async function whyNotShown(
  deps: Pick<LinkPageDeps, 'sharedLinks'>,
  { linkId, given }: { readonly linkId: string; readonly given: URLSearchParams },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const origins = given.getAll('origin').slice(0, MAX_ORIGINS)
  const shell: Shell = { ...bareShell(request, 'why', given), origins }
  const found = isId('lnk', linkId) ? await deps.sharedLinks.find(linkId) : undefined
  if (found === undefined) return sendScreen(reply, shell, stopScreen(shell, 'unknownLink'))
  const screen = stopScreen(shell, 'notHere')
  const listed = frameOrigins(found.link, settingsOf(found.workspace))
  const data = origins.every((origin) => listed.includes(origin))
    ? { 'data-code': 'listed' }
    : screen.data
  return sendScreen(reply, shell, { ...screen, ...(data === undefined ? {} : { data }) })
}
