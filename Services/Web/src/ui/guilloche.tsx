/** The banknote's pattern on the one dark surface of a page: curves of seven petals. */
const CENTRE = 150;
const STEPS = 210;
const PETALS = 7;

function curve(index: number): string {
  let path = '';
  for (let step = 0; step <= STEPS; step++) {
    const angle = (2 * Math.PI * step) / STEPS;
    const radius = 74 + index * 2.2 + (44 + index * 1.8) * Math.cos(PETALS * angle - index * 0.05);
    const x = CENTRE + radius * Math.cos(angle);
    const y = CENTRE + radius * Math.sin(angle);
    path += `${step === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
  }
  return `${path}Z`;
}

const curves = Array.from({ length: 10 }, (_, index) => curve(index));

export function Guilloche() {
  return (
    <svg className="guilloche" viewBox="-30 -30 360 360" aria-hidden="true">
      {curves.map((path) => <path key={path} d={path} />)}
    </svg>
  );
}

export function Logo() {
  return (
    <span className="logo">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M5 7h12M5 12h9M5 17h12" />
        <path d="M20 7v.01M17.5 12H20M20 17v.01" />
      </svg>
    </span>
  );
}
