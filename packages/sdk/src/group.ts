import { List, type Page } from './list.ts'
import { type Query, toSearch } from './path.ts'
import type { RequestOptions, Send } from './send.ts'

/** The operations on one kind of resource. */
export abstract class Group {
  readonly #send: Send

  constructor(send: Send) {
    this.#send = send
  }

  protected async sendGet<T>(path: string, query?: Query, options?: RequestOptions): Promise<T> {
    const { data } = await this.#send({ method: 'GET', path: path + toSearch(query), options })
    return data as T
  }

  protected async sendPost<T>(path: string, body?: object, options?: RequestOptions): Promise<T> {
    const { data } = await this.#send({ method: 'POST', path, body, options })
    return data as T
  }

  protected async sendDelete<T>(path: string, query?: Query, options?: RequestOptions): Promise<T> {
    const { data } = await this.#send({ method: 'DELETE', path: path + toSearch(query), options })
    return data as T
  }

  /** The response with its body unread. */
  protected async openStream(
    path: string,
    query?: Query,
    options?: RequestOptions,
  ): Promise<Response> {
    const request = { method: 'GET', path: path + toSearch(query), options } as const
    const { response } = await this.#send({ ...request, isStream: true })
    return response
  }

  /** A list that takes `limit`. */
  protected listPages<T>(
    path: string,
    query: Query & { readonly limit?: number | undefined } = {},
    options?: RequestOptions,
  ): List<T> {
    return new List({
      getSearch: (limit) => toSearch({ ...query, limit: query.limit ?? limit }),
      readPage: (search) => this.readPage<T>(path, search, options),
    })
  }

  /** A list that is always returned completely. */
  protected listAll<T>(path: string, query?: Query, options?: RequestOptions): List<T> {
    return new List({
      getSearch: () => toSearch(query),
      readPage: (search) => this.readPage<T>(path, search, options),
    })
  }

  protected async readPage<T>(
    path: string,
    search: string,
    options?: RequestOptions,
  ): Promise<Page<T>> {
    const request = { method: 'GET', path: path + search, options } as const
    const { data, response } = await this.#send(request)
    // Of the URL only the query is used: the service may be behind another one, and the token is only for this one.
    const [, nextSearch] =
      /<[^>?]*(\?[^>]*)>; *rel="next"/.exec(response.headers.get('link') ?? '') ?? []
    return { items: data as T[], nextSearch }
  }
}
