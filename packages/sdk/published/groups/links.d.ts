import type { CreateLink, ExtendedLink, GetLinkQuery, Link, LinkSettings, ListLinksQuery, UpdateLink } from '../api-types.js';
import { Group } from '../group.js';
import type { List } from '../list.js';
import type { RequestOptions } from '../send.js';
/** Shareable links through which customers connect accounts. */
export declare class Links extends Group {
    /** Creates a link. */
    create(body: CreateLink, options?: RequestOptions): Promise<Link>;
    /** Returns a link with its accounts and definitions. */
    get(linkId: string, query?: GetLinkQuery, options?: RequestOptions): Promise<ExtendedLink>;
    /** The links that are not revoked, oldest first. */
    list(query?: ListLinksQuery, options?: RequestOptions): List<Link>;
    /** Changes the name, the limits or the allowlists. */
    update(linkId: string, body?: UpdateLink, options?: RequestOptions): Promise<LinkSettings>;
    /** Revokes a link. Its accounts remain. */
    delete(linkId: string, options?: RequestOptions): Promise<ExtendedLink>;
}
