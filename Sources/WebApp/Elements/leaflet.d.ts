// The part of Leaflet 1.7.1 that Elements/map.js uses. Its script defines the global `L`.

export interface LeafletPoint { x: number; y: number }
export interface LatLng { lat: number; lng: number }
export type LatLngTuple = [latitude: number, longitude: number];

export interface MapEvent { latlng: LatLng; containerPoint: LeafletPoint }

export interface LeafletMap {
  setView(center: LatLngTuple, zoom: number, options?: { animate?: boolean }): this;
  fitBounds(
    bounds: [LatLngTuple, LatLngTuple],
    options?: { padding?: [number, number]; maxZoom?: number; animate?: boolean }
  ): this;
  invalidateSize(options: { pan: boolean }): this;
  zoomIn(): this;
  zoomOut(): this;
  getZoom(): number;
  getCenter(): LatLng;
  getSize(): LeafletPoint;
  getPixelBounds(): { min: LeafletPoint; max: LeafletPoint };
  containerPointToLayerPoint(point: [number, number]): LeafletPoint;
  containerPointToLatLng(point: [number, number]): LatLng;
  latLngToContainerPoint(position: LatLngTuple): LeafletPoint;
  getPane(name: string): HTMLElement;
  readonly scrollWheelZoom: { enable(): void; disable(): void };
  on(names: string, listener: (event: MapEvent) => void): this;
  remove(): this;
}

export interface Marker {
  addTo(map: LeafletMap): this;
  setLatLng(position: LatLngTuple): this;
  getLatLng(): LatLng;
  getElement(): HTMLElement | undefined;
  on(names: string, listener: () => void): this;
  remove(): this;
}

export interface TileLayer { addTo(map: LeafletMap): this }

export interface Leaflet {
  map(element: HTMLElement, options: {
    /** Both assign innerHTML, which Trusted Types forbid. */
    attributionControl: false; zoomControl: false;
    zoomAnimation: boolean; fadeAnimation: boolean; markerZoomAnimation: boolean;
    inertia: boolean; scrollWheelZoom: boolean; minZoom: number; maxZoom: number;
  }): LeafletMap;
  marker(position: LatLngTuple, options: {
    icon: unknown; draggable: boolean; keyboard: boolean;
  }): Marker;
  /** `html` is an element: a text would be assigned to innerHTML. */
  divIcon(options: { html: HTMLElement; className: string; iconSize: [number, number] }): unknown;
  tileLayer(address: string, options: { maxZoom: number }): TileLayer;
  readonly DomUtil: { setPosition(element: HTMLElement, point: LeafletPoint): void };
}

declare global {
  interface Window { readonly L: Leaflet }
}
