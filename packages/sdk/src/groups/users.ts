import type { CreateUser, NewUser, User } from '../api-types.ts'
import { Group } from '../group.ts'
import type { RequestOptions } from '../send.ts'

/** Users of the API. */
export class Users extends Group {
  /** Creates a user with a workspace and a token. */
  create(body: CreateUser, options?: RequestOptions): Promise<NewUser> {
    return this.sendPost('/user', body, options)
  }

  /** Returns the user whom the token belongs to. */
  getCurrent(options?: RequestOptions): Promise<User> {
    return this.sendGet('/user', undefined, options)
  }
}
