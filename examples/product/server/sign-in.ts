import { randomBytes } from 'node:crypto'
import { CUSTOMERS, type Customer } from '../customers.ts'

/** Who is signed in. The browser has a random cookie, and the customer is looked up here. Use a table of your database. */
export class SignIns {
  readonly #customers = new Map<string, Customer>()

  /** Signs in as a demo customer. */
  async signIn(request: Request): Promise<Response> {
    const { id } = (await request.json()) as { id?: unknown }
    const customer = CUSTOMERS.find((each) => each.id === id)
    if (customer === undefined) return new Response(null, { status: 404 })
    const session = randomBytes(32).toString('base64url')
    this.#customers.set(session, customer)
    // On https, add `Secure`. `SameSite` keeps other sites from sending requests as the customer.
    const cookie = `session=${session}; Path=/; HttpOnly; SameSite=Lax`
    return Response.json(customer, { headers: { 'set-cookie': cookie } })
  }

  signOut(request: Request): Response {
    this.#customers.delete(readCookie(request))
    return Response.json(null, { headers: { 'set-cookie': 'session=; Path=/; Max-Age=0' } })
  }

  /** The customer of a request: nothing else in a request says whose accounts it may see. */
  getCustomer(request: Request): Customer | undefined {
    return this.#customers.get(readCookie(request))
  }
}

function readCookie(request: Request): string {
  return /(?:^|; )session=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''
}
