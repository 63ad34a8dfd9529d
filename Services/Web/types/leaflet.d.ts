// Declares the part of Leaflet that we use; Debian has no types of it.
declare module 'leaflet' {
  type Point = [number, number];
  export interface LeafletMap {
    setView(centre: Point, zoom: number): LeafletMap;
    fitBounds(bounds: Bounds, options?: { padding?: Point; maxZoom?: number }): LeafletMap;
    zoomIn(): LeafletMap;
    zoomOut(): LeafletMap;
    remove(): void;
  }
  export interface Bounds {
    isValid(): boolean;
  }
  export interface Layer {
    addTo(map: LeafletMap): this;
    on(event: 'click', listener: () => void): this;
    remove(): this;
  }
  export function map(
    box: HTMLElement,
    options: {
      attributionControl: boolean;
      zoomControl: boolean;
      minZoom: number;
      maxZoom: number;
    },
  ): LeafletMap;
  export function tileLayer(url: string, options: { minZoom: number; maxZoom: number }): Layer;
  export function circleMarker(at: Point, options: { radius: number; className: string }): Layer;
  export function latLngBounds(points: Point[]): Bounds;
}
