import type { CreateToken, NewToken, Token } from '../api-types.js';
import { Group } from '../group.js';
import type { List } from '../list.js';
import type { RequestOptions } from '../send.js';
/** Access tokens of the API. */
export declare class Tokens extends Group {
    /** Creates a token with at most the access of the creating one. Only this response has it. */
    create(body: CreateToken, options?: RequestOptions): Promise<NewToken>;
    /** The tokens that are not revoked, oldest first. */
    list(options?: RequestOptions): List<Token>;
    /** Revokes a token and those created with it. */
    delete(tokenId: string, options?: RequestOptions): Promise<Token>;
}
