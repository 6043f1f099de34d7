import type { CreateToken, NewToken, Token } from '../api-types.ts'
import { Group } from '../group.ts'
import type { List } from '../list.ts'
import { path } from '../path.ts'
import type { RequestOptions } from '../send.ts'

/** Access tokens of the API. */
export class Tokens extends Group {
  /** Creates a token with at most the access of the creating one. Only this response has it. */
  create(body: CreateToken, options?: RequestOptions): Promise<NewToken> {
    return this.sendPost('/user/token', body, options)
  }

  /** The tokens that are not revoked, oldest first. */
  list(options?: RequestOptions): List<Token> {
    return this.listAll('/user/token', undefined, options)
  }

  /** Revokes a token and those created with it. */
  delete(tokenId: string, options?: RequestOptions): Promise<Token> {
    return this.sendDelete(path`/user/token/${tokenId}`, undefined, options)
  }
}
