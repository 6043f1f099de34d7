import type { FastifyRequest } from 'fastify'
import { getMessages } from '../../i18n/get-messages.ts'
import { chooseLanguage } from '../../i18n/language.ts'
import { chooseTheme } from '../../ui/send-page.ts'
import type { PageLayout } from './page-context.ts'

/** The layout of a page before its link is loaded. */
export function minimalLayout(
  request: FastifyRequest,
  mode: PageLayout['mode'],
  searchParams: URLSearchParams,
): PageLayout {
  const language = chooseLanguage(searchParams.get('lang'), request.headers['accept-language'])
  return {
    mode,
    language,
    messages: getMessages(language),
    theme: chooseTheme(searchParams.get('theme')),
    origins: [],
  }
}
