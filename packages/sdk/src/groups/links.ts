import type {
  CreateLink,
  ExtendedLink,
  GetLinkQuery,
  Link,
  LinkSettings,
  ListLinksQuery,
  UpdateLink,
} from '../api-types.ts'
import { Group } from '../group.ts'
import type { List } from '../list.ts'
import { path } from '../path.ts'
import type { RequestOptions } from '../send.ts'

/** Shareable links through which customers connect accounts. */
export class Links extends Group {
  /** Creates a link. */
  create(body: CreateLink, options?: RequestOptions): Promise<Link> {
    return this.sendPost('/link', body, options)
  }

  /** Returns a link with its accounts and definitions. */
  get(linkId: string, query?: GetLinkQuery, options?: RequestOptions): Promise<ExtendedLink> {
    return this.sendGet(path`/link/${linkId}`, query, options)
  }

  /** The links that are not revoked, oldest first. */
  list(query?: ListLinksQuery, options?: RequestOptions): List<Link> {
    return this.listPages('/link', query, options)
  }

  /** Changes the name, the limits or the allowlists. */
  update(linkId: string, body?: UpdateLink, options?: RequestOptions): Promise<LinkSettings> {
    return this.sendPost(path`/link/${linkId}`, body, options)
  }

  /** Revokes a link. Its accounts remain. */
  delete(linkId: string, options?: RequestOptions): Promise<ExtendedLink> {
    return this.sendDelete(path`/link/${linkId}`, undefined, options)
  }
}
