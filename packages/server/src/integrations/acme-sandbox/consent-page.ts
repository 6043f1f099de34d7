import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptForms, getForm } from '../../platform/http/form-body.ts'
import { getSearchParams } from '../../platform/http/get-raw-query.ts'
import type { Language } from '../../platform/i18n/language.ts'
import { actions, button } from '../../platform/ui/button.ts'
import { stateHeader, tile } from '../../platform/ui/header.ts'
import { html } from '../../platform/ui/html.ts'
import {
  createPageLayout,
  type PageLayout,
  type Screen,
  sendScreen,
  statusScreen,
} from '../../platform/ui/screen.ts'
import { SANDBOX_ORIGIN } from './sandbox-api.ts'
import { SANDBOX_CLIENT_ID } from './sandbox-host.ts'
import { findSandboxPerson, SANDBOX_PEOPLE } from './sandbox-people.ts'
import type { SandboxTokens } from './sandbox-tokens.ts'

export interface ConsentPageDeps {
  readonly tokens: SandboxTokens
  /** The redirect URI of this service: the only one to which the page redirects. */
  readonly redirectUri: () => string
}

const PAGE_PATH = '/sandbox/authorize'

/** The URL that a browser opens for an authorization URL: the page of this service, if the URL is one of Acme Sandbox. */
export function toConsentPageUrl(authorizationUrl: string, baseUrl: string): string {
  const prefix = `${SANDBOX_ORIGIN}/authorize?`
  return authorizationUrl.startsWith(prefix)
    ? `${baseUrl}${PAGE_PATH}?${authorizationUrl.slice(prefix.length)}`
    : authorizationUrl
}

/** The authorization endpoint of Acme Sandbox (RFC 6749 section 3.1): a page on which a visitor chooses a person, or denies. */
export function consentPageRoutes(deps: ConsentPageDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    acceptForms(app, 1_024)
    const options = { config: { rawQuery: true }, schema: { hide: true } }
    app.get(PAGE_PATH, options, async (request, reply) => {
      const layout = createLayout(request)
      const isValid = parseRequest(deps, request) !== undefined
      return sendScreen(reply, layout, isValid ? consentScreen(layout) : invalidScreen(layout))
    })
    app.post(PAGE_PATH, options, async (request, reply) => answer(deps, request, reply))
  }
}

interface AuthorizationRequest {
  readonly redirectUri: string
  readonly state: string
  readonly codeChallenge: string
}

/** The parameters of the request; undefined unless it comes from this service (RFC 6749 section 4.1.1, RFC 7636). */
function parseRequest(
  { redirectUri }: ConsentPageDeps,
  request: FastifyRequest,
): AuthorizationRequest | undefined {
  const params = getSearchParams(request)
  const state = params.get('state') ?? ''
  const codeChallenge = params.get('code_challenge') ?? ''
  const isValid =
    params.get('response_type') === 'code' &&
    params.get('client_id') === SANDBOX_CLIENT_ID &&
    params.get('redirect_uri') === redirectUri() &&
    params.get('code_challenge_method') === 'S256' &&
    codeChallenge !== '' &&
    state !== ''
  return isValid ? { redirectUri: redirectUri(), state, codeChallenge } : undefined
}

/** Redirects with a code for the chosen person, or with `access_denied` (RFC 6749 section 4.1.2). */
function answer(deps: ConsentPageDeps, request: FastifyRequest, reply: FastifyReply) {
  const authorizationRequest = parseRequest(deps, request)
  const form = getForm(request)
  const person = findSandboxPerson(form.get('person') ?? '')
  if (authorizationRequest === undefined || (person === undefined && !form.has('deny'))) {
    const layout = createLayout(request)
    return sendScreen(reply, layout, invalidScreen(layout))
  }
  const { redirectUri, state, codeChallenge } = authorizationRequest
  const outcome: Record<string, string> =
    person === undefined
      ? { error: 'access_denied' }
      : { code: deps.tokens.issue('code', { person: person.id, redirectUri, codeChallenge }) }
  const query = new URLSearchParams({ ...outcome, state })
  return reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .redirect(`${redirectUri}?${query}`, 303)
}

/** The page is part of a sign-in, which may run in a popup. */
function createLayout(request: FastifyRequest): PageLayout {
  return { ...createPageLayout(request), window: 'popup' }
}

function consentScreen({ language }: PageLayout): Screen {
  const texts = CONSENT_TEXTS[language]
  const people = SANDBOX_PEOPLE.map(({ id, name }, index) =>
    button({
      text: texts.as(name),
      kind: index === 0 ? 'primary' : 'quiet',
      attributes: { name: 'person', value: id },
    }),
  )
  const deny = button({ text: texts.deny, kind: 'quiet', attributes: { name: 'deny', value: '1' } })
  return {
    state: 'sandboxConsent',
    status: 200,
    title: texts.title,
    main: html`${stateHeader({ mark: tile('Acme Sandbox'), title: texts.title, body: texts.access })}
<p class="quiet">${texts.body}</p>
<form method="post">${actions(...people, deny)}</form>`,
    formActionCsp: { sameOriginOnly: true, formOrigins: [] },
  }
}

function invalidScreen({ language }: PageLayout): Screen {
  return statusScreen('sandboxInvalid', CONSENT_TEXTS[language].invalid, {
    status: 400,
    mark: 'bad',
  })
}

/** The texts of the consent page. */
interface ConsentTexts {
  readonly title: string
  readonly body: string
  readonly access: string
  readonly as: (name: string) => string
  readonly deny: string
  readonly invalid: { readonly title: string; readonly body: string }
}

/** The texts of the consent page by language. */
const CONSENT_TEXTS: Readonly<Record<Language, ConsentTexts>> = {
  en: {
    title: 'Sign in to Acme Sandbox',
    body: 'A tool for tests. Its people and tickets are made up, and nothing leaves this service.',
    access: 'Linchpin asks to read and create tickets.',
    as: (name) => `Continue as ${name}`,
    deny: 'Deny',
    invalid: {
      title: 'This sign-in cannot continue',
      body: 'The request for it is incomplete. Go back and start again.',
    },
  },
  de: {
    title: 'Bei Acme Sandbox anmelden',
    body: 'Ein Tool für Tests. Seine Personen und Tickets sind erfunden, und nichts verlässt diesen Dienst.',
    access: 'Linchpin möchte Tickets lesen und anlegen.',
    as: (name) => `Als ${name} fortfahren`,
    deny: 'Ablehnen',
    invalid: {
      title: 'Diese Anmeldung kann nicht fortgesetzt werden',
      body: 'Die Anfrage ist unvollständig. Gehen Sie zurück und beginnen Sie neu.',
    },
  },
  fr: {
    title: 'Se connecter à Acme Sandbox',
    body: 'Un outil de test. Ses personnes et ses tickets sont fictifs, et rien ne quitte ce service.',
    access: 'Linchpin demande à lire et à créer des tickets.',
    as: (name) => `Continuer en tant que ${name}`,
    deny: 'Refuser',
    invalid: {
      title: 'Cette connexion ne peut pas continuer',
      body: 'La demande est incomplète. Revenez en arrière et recommencez.',
    },
  },
  es: {
    title: 'Iniciar sesión en Acme Sandbox',
    body: 'Una herramienta de prueba. Sus personas y tickets son ficticios, y nada sale de este servicio.',
    access: 'Linchpin solicita leer y crear tickets.',
    as: (name) => `Continuar como ${name}`,
    deny: 'Rechazar',
    invalid: {
      title: 'Este inicio de sesión no puede continuar',
      body: 'La solicitud está incompleta. Vuelva atrás y empiece de nuevo.',
    },
  },
  it: {
    title: 'Accedi ad Acme Sandbox',
    body: 'Uno strumento di prova. Persone e ticket sono inventati e nulla lascia questo servizio.',
    access: 'Linchpin chiede di leggere e creare ticket.',
    as: (name) => `Continua come ${name}`,
    deny: 'Rifiuta',
    invalid: {
      title: 'Questo accesso non può continuare',
      body: 'La richiesta è incompleta. Torna indietro e ricomincia.',
    },
  },
  pt: {
    title: 'Entrar no Acme Sandbox',
    body: 'Uma ferramenta de teste. As pessoas e os tickets são fictícios, e nada sai deste serviço.',
    access: 'O Linchpin pede para ler e criar tickets.',
    as: (name) => `Continuar como ${name}`,
    deny: 'Recusar',
    invalid: {
      title: 'Este início de sessão não pode continuar',
      body: 'O pedido está incompleto. Volte atrás e comece de novo.',
    },
  },
  ja: {
    title: 'Acme Sandbox にサインイン',
    body: 'テスト用のツールです。人物とチケットは架空のもので、データがこのサービスの外に出ることはありません。',
    access: 'Linchpin がチケットの閲覧と作成を求めています。',
    as: (name) => `${name} として続行`,
    deny: '拒否',
    invalid: {
      title: 'このサインインは続行できません',
      body: 'リクエストが不完全です。前のページに戻って、もう一度始めてください。',
    },
  },
  ar: {
    title: 'تسجيل الدخول إلى Acme Sandbox',
    body: 'أداة للاختبار. الأشخاص والتذاكر فيها خياليون، ولا يغادر أي شيء هذه الخدمة.',
    access: 'يطلب Linchpin قراءة التذاكر وإنشاءها.',
    as: (name) => `المتابعة باسم ${name}`,
    deny: 'رفض',
    invalid: {
      title: 'لا يمكن متابعة تسجيل الدخول هذا',
      body: 'الطلب غير مكتمل. ارجع وابدأ من جديد.',
    },
  },
}
