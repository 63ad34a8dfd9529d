/**
 * A map in a chunk of its own, loaded when one is opened.
 *
 * Tiles come from the server that the API names, and only after the user has opened a map. Leaflet's
 * own controls write HTML, which the page's policy refuses: ours are beside the map.
 */
import { circleMarker, latLngBounds, map as leafletMap, tileLayer, type LeafletMap } from 'leaflet';
import { useEffect, useRef } from 'react';
import * as words from '../generated/words';
import { IconButton } from './button';

export interface Pin {
  readonly id: string;
  readonly lat: number;
  readonly lon: number;
  readonly label: string;
}

interface MapProps {
  label: string;
  /** The URL template of the tiles, with {z}, {x} and {y}. */
  tiles: string;
  attribution: string;
  minZoom: number;
  maxZoom: number;
  pins: readonly Pin[];
  onPin?: (id: string) => void;
}

/** The attribution is plain text: it comes from configuration and may hold tags. */
const plain = (html: string): string => html.replace(/<[^>]*>/g, '').replace(/&copy;/g, '©').replace(/&amp;/g, '&');

export default function PlacesMap({
  label,
  tiles,
  attribution,
  minZoom,
  maxZoom,
  pins,
  onPin,
}: MapProps) {
  const box = useRef<HTMLDivElement>(null);
  const shown = useRef<LeafletMap>();

  useEffect(() => {
    if (!box.current) return undefined;
    const made = leafletMap(
      box.current,
      { attributionControl: false, zoomControl: false, minZoom, maxZoom },
    );
    tileLayer(tiles, { minZoom, maxZoom }).addTo(made);
    made.setView([20, 0], Math.max(2, minZoom));
    shown.current = made;
    return () => {
      made.remove();
      shown.current = undefined;
    };
  }, [tiles, minZoom, maxZoom]);

  useEffect(() => {
    const on = shown.current;
    if (!on || pins.length === 0) return undefined;
    const markers = pins.map((pin) => {
      const marker = circleMarker([pin.lat, pin.lon], { radius: 9, className: 'pin' }).addTo(on);
      marker.on('click', () => onPin?.(pin.id));
      return marker;
    });
    on.fitBounds(
      latLngBounds(pins.map((pin) => [pin.lat, pin.lon])),
      { padding: [40, 40], maxZoom: 15 },
    );
    return () => markers.forEach((marker) => marker.remove());
  }, [pins, onPin, tiles]);

  return (
    <section className="places" aria-label={label}>
      <div className="map" ref={box} />
      <div className="places-zoom">
        <IconButton icon="plus" label={words.mapCloser()} onClick={() => shown.current?.zoomIn()} />
        <IconButton
          icon="minus"
          label={words.mapFarther()}
          onClick={() => shown.current?.zoomOut()}
        />
      </div>
      <p className="places-source">{plain(attribution)}</p>
      {/* The same places for those who do not see the map, or have no pointer. */}
      <ul className="unseen">
        {pins.map((pin) => (
          <li key={pin.id}>
            <button type="button" onClick={() => onPin?.(pin.id)}>{pin.label}</button>
          </li>
        ))}
      </ul>
    </section>
  );
}
