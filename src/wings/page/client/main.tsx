import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { readRoute } from './route.js';
import { Run } from './run.js';
import { Runs } from './runs.js';
import { connectToServer, openFile, type Source } from './source.js';

/** The page: all runs, or the run that the address names. */
function App({ source }: { source: Source }) {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const read = () => setRoute(readRoute());
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  if (route === null && source.runs !== null) return <Runs follow={source.runs} />;
  const { name, row, run } = route ?? { name: '', row: null, run: undefined };
  return <Run key={`${name}?${run ?? ''}`} source={source} name={name} run={run} row={row} />;
}

const data = document.querySelector<HTMLTemplateElement>('template#data');
const place = document.getElementById('app');
if (place !== null) render(<App source={data === null ? await connectToServer() : await openFile(data)} />, place);
