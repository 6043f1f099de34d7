import assert from 'node:assert/strict'
import type { OutgoingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApp } from '../../../test/test-app.ts'
import { createMemberStore } from '../../access/members/member-store.ts'
import type { Role } from '../../access/members/roles.ts'
import type { User } from '../../access/users/user.ts'
import { createUserStore } from '../../access/users/user-store.ts'
import { decodeEntities } from '../../connect/connect-page/test/test-visitor.ts'
import { newId } from '../../platform/storage/id.ts'
import { createCode } from '../sign-in/code.ts'
import { createSignInStore } from '../sign-in/sign-in-store.ts'

/** A response of the console. */
export interface VisitedPage {
  /** The path and query that were requested. */
  readonly path: string
  readonly status: number
  /** The body as it was sent. */
  readonly text: string
  /** What a person reads in `<main>`: without tags, with single spaces. */
  readonly visible: string
  /** The text of `<h1>`. */
  readonly title: string
  /** Where a redirect leads. */
  readonly location: string | undefined
  readonly headers: OutgoingHttpHeaders
}

/** A person in a browser that is signed in to the console, through `inject`. It keeps cookies. */
export interface ConsoleVisitor {
  readonly cookies: Map<string, string>
  /** The page that was loaded last. Redirects do not change it. */
  readonly page: VisitedPage | undefined
  /** Loads a page. */
  get(path: string, headers?: Record<string, string>): Promise<VisitedPage>
  /**
   * Submits the form of the last page whose action is this path, with what it contains and with these fields. Load the page
   * first. An array gives a field several values.
   */
  post(path: string, fields?: FormFields): Promise<VisitedPage>
  /** Posts exactly these fields, such as a form without its token. */
  send(path: string, fields?: FormFields, headers?: Record<string, string>): Promise<VisitedPage>
  /** Loads the page that the last redirect leads to. */
  follow(): Promise<VisitedPage>
}

export type FormFields = Readonly<Record<string, string | readonly string[]>>

export interface SignInOptions {
  /** The role of the person in their workspaces. Default: owner. */
  readonly role?: Role
  /** Default: the owner of the instance. */
  readonly email?: string
  /** The clock of the app, if it has its own. */
  readonly now?: () => number
}

/** Signs a person in with a code, as the address that the start prints does. */
export async function signIn(app: TestApp, options: SignInOptions = {}): Promise<ConsoleVisitor> {
  await setRole(app, options)
  const visitor = createConsoleVisitor(app)
  const code = await createSignInCode(app, options)
  for (let attempt = 1; ; attempt += 1) {
    const { status, text } = await visitor.send('/console/open', { code })
    if (status === 303) return visitor
    // A busy machine has no room for the first request of a process: people send it again.
    assert.ok(status === 503 && attempt < 10, app.logs.at(-1) ?? text)
    await sleep(attempt * 100)
  }
}

/** A code that signs the owner of the instance in, or the user with an e-mail. */
export async function createSignInCode(
  app: Pick<TestApp, 'database'>,
  options: SignInOptions = {},
): Promise<string> {
  const { database } = app
  const signIns = createSignInStore(database)
  const { userId } = await findUser(app, options)
  return createCode({ database, signIns, now: options.now ?? Date.now }, userId)
}

async function findUser(
  { database }: Pick<TestApp, 'database'>,
  { email }: SignInOptions,
): Promise<User> {
  const users = createUserStore(database)
  const user =
    email === undefined
      ? await users.findOwner(database.read)
      : await users.findByEmail(database.read, email)
  assert.ok(user)
  return user
}

async function setRole(app: Pick<TestApp, 'database'>, options: SignInOptions): Promise<void> {
  const { database } = app
  const { role = 'owner', now = Date.now } = options
  const user = await findUser(app, options)
  await createMemberStore(database).addOwners(user, now())
  await database.transaction(async (trx) => {
    const members = await trx
      .updateTable('members')
      .set({ role })
      .where('user_id', '=', user.userId)
      .returningAll()
      .execute()
    if (role === 'owner') return
    // A workspace without an owner would make this person its owner again.
    for (const member of members)
      await trx
        .insertInto('members')
        .values({
          ...member,
          member_id: newId('mbr', now()),
          user_id: null,
          email: 'other-owner@example.com',
          email_key: `other-owner@example.com ${member.member_id}`,
          role: 'owner',
          token_id: null,
          root_token_id: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
  })
}

/** A response that a visitor reads. */
interface VisitorResponse {
  readonly statusCode: number
  readonly body: string
  readonly headers: OutgoingHttpHeaders
  readonly cookies: readonly { name: string; value: string; maxAge?: number }[]
}

/** What responds to a visitor: an app, or a service in another process. */
export interface VisitedService {
  readonly app: {
    inject(request: {
      readonly method: 'GET' | 'POST'
      readonly url: string
      readonly remoteAddress: string
      readonly headers: Record<string, string>
      readonly payload?: string
    }): Promise<VisitorResponse>
  }
}

/** A browser that is not signed in. */
export function createConsoleVisitor({ app }: VisitedService): ConsoleVisitor {
  const cookies = new Map<string, string>()
  // A network allows ten attempts to sign in per minute.
  const remoteAddress = `10.${[...crypto.getRandomValues(new Uint8Array(3))].join('.')}`
  let page: VisitedPage | undefined
  let location: string | undefined
  const request = async (
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string>,
    payload?: string,
  ): Promise<VisitedPage> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await app.inject({
      method,
      url: path,
      remoteAddress,
      headers: { host: 'localhost:3000', ...(cookie !== '' && { cookie }), ...headers },
      ...(payload !== undefined && { payload }),
    })
    for (const { name, value, maxAge } of response.cookies)
      if (maxAge === 0) cookies.delete(name)
      else cookies.set(name, value)
    const visited = toVisitedPage(path, response)
    location = visited.location
    if (visited.location === undefined) page = visited
    return visited
  }
  const send: ConsoleVisitor['send'] = (path, fields = {}, headers = {}) =>
    request('POST', path, { ...FORM_HEADERS, ...headers }, encodeForm(fields))
  const get: ConsoleVisitor['get'] = (path, headers = {}) => request('GET', path, headers)
  return {
    cookies,
    get page() {
      return page
    },
    get,
    send,
    post: (path, fields = {}) => send(path, { ...readFormFields(page, path), ...fields }),
    follow() {
      assert.ok(location, 'the last response was no redirect')
      return get(location)
    },
  }
}

const FORM_HEADERS = {
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-site': 'same-origin',
  origin: 'null',
}

function toVisitedPage(
  path: string,
  {
    statusCode,
    body,
    headers,
  }: {
    readonly statusCode: number
    readonly body: string
    readonly headers: OutgoingHttpHeaders
  },
): VisitedPage {
  return {
    path,
    status: statusCode,
    text: body,
    visible: readText(/<main[\s\S]*<\/main>/.exec(body)?.[0] ?? ''),
    title: readText(/<h1[\s\S]*?<\/h1>/.exec(body)?.[0] ?? ''),
    location: headers.location,
    headers,
  }
}

/** What a person reads in some HTML. */
export function readText(text: string): string {
  return decodeEntities(text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')).trim()
}

/** The texts of all elements with a tag name, such as `td`; only those with a class or another attribute, if it is given. */
export function readAll(
  { text }: Pick<VisitedPage, 'text'>,
  tag: string,
  attribute = '',
): string[] {
  const elements = text.matchAll(new RegExp(`<${tag}\\b([^>]*)>([\\s\\S]*?)</${tag}>`, 'g'))
  return [...elements]
    .filter(([, attributes = '']) => attributes.includes(attribute))
    .map(([, , content = '']) => readText(content))
}

/** What the form of a page with this action would submit. */
function readFormFields(page: VisitedPage | undefined, path: string): Record<string, string[]> {
  const forms = [...(page?.text ?? '').matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].map(
    ([form]) => form,
  )
  const form = forms.find(
    (each) => readAttribute(each, 'method') === 'post' && readAttribute(each, 'action') === path,
  )
  assert.ok(form, `no form of ${page?.path ?? 'no page'} posts to ${path}`)
  const fields: Record<string, string[]> = {}
  const add = (name: string | undefined, value: string) => {
    if (name !== undefined) fields[name] = [...(fields[name] ?? []), value]
  }
  for (const [input] of form.matchAll(/<input\b[^>]*>/g)) {
    const type = readAttribute(input, 'type') ?? 'text'
    const isChosen = !['checkbox', 'radio'].includes(type) || / checked\b/.test(input)
    if (isChosen && !['submit', 'button', 'file'].includes(type))
      add(readAttribute(input, 'name'), readAttribute(input, 'value') ?? '')
  }
  for (const [area, content = ''] of form.matchAll(/<textarea\b[^>]*>([\s\S]*?)<\/textarea>/g))
    add(readAttribute(area, 'name'), decodeEntities(content))
  for (const [select] of form.matchAll(/<select\b[^>]*>[\s\S]*?<\/select>/g)) {
    const options = [...select.matchAll(/<option\b([^>]*)>([^<]*)/g)]
    const chosen = options.find(([, attributes = '']) => / selected\b/.test(attributes))
    const [, attributes = '', label = ''] = chosen ?? options[0] ?? []
    add(readAttribute(select, 'name'), readAttribute(attributes, 'value') ?? decodeEntities(label))
  }
  return fields
}

/** An attribute of the first tag in a text. */
function readAttribute(text: string, name: string): string | undefined {
  const [tag] = text.split('>')
  const value = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(tag ?? '')?.[1]
  return value === undefined ? undefined : decodeEntities(value)
}

function encodeForm(fields: FormFields): string {
  const pairs = Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  )
  return new URLSearchParams(pairs).toString()
}
