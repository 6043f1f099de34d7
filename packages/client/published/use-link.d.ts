import type { LinkFailure } from './messages.js';
import type { OpenLinkOptions } from './options.js';
/** The options of `openLink`; the token or the link may still be loading. */
export type UseLinkOptions = Omit<OpenLinkOptions, 'linkId' | 'token'> & {
    readonly token?: string | null | undefined;
    readonly linkId?: string | null | undefined;
};
export interface UseLink {
    /** Opens the page; does nothing while it is open. Has a stable identity. */
    readonly open: () => void;
    /** Whether there is something to open; false during server rendering. */
    readonly ready: boolean;
    /** Why the page could not be shown. Null after it is opened again, and for errors that the page shows itself. */
    readonly error: LinkFailure | null;
}
/**
 * The connect page for React 18 and later. The options of the latest render apply; rendering again never reloads the
 * page. An open page is removed with its component.
 */
export declare function useLink(options: UseLinkOptions): UseLink;
