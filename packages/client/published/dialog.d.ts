import { type Surface, type SurfaceParts } from './surface.js';
/**
 * A modal dialog over the page, as tall as the page in it: named, above everything else, with the rest of the page inert and not scrollable. Tab
 * cycles within it, Escape closes it, and the focus is restored afterwards.
 */
export declare function openDialog(parts: SurfaceParts): Surface;
