import type { CreateUser, NewUser, User } from '../api-types.js';
import { Group } from '../group.js';
import type { RequestOptions } from '../send.js';
/** Users of the API. */
export declare class Users extends Group {
    /** Creates a user with a workspace and a token. */
    create(body: CreateUser, options?: RequestOptions): Promise<NewUser>;
    /** Returns the user whom the token belongs to. */
    getCurrent(options?: RequestOptions): Promise<User>;
}
