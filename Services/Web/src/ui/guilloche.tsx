/** The banknote's pattern on the one dark surface of a page: seven curves of five petals. */
const CENTRE = 150;
const STEPS = 150;

function curve(index: number): string {
  let path = '';
  for (let step = 0; step <= STEPS; step++) {
    const angle = (2 * Math.PI * step) / STEPS;
    const radius = 84 + 46 * Math.cos(5 * angle + index * 0.09) + index * 4.2;
    const turn = angle + 0.36 * Math.sin(5 * angle + index * 0.13);
    const x = CENTRE + radius * Math.cos(turn);
    const y = CENTRE + radius * Math.sin(turn);
    path += `${step === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
  }
  return `${path}Z`;
}

const curves = Array.from({ length: 9 }, (_, index) => curve(index - 2));

export function Guilloche() {
  return (
    <svg className="guilloche" viewBox="-30 -30 360 360" aria-hidden="true">
      {curves.map((path) => <path key={path.slice(0, 24)} d={path} />)}
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
