import { act } from '../state/actions.ts';
import { session } from '../state/state.ts';

const RATES = [0.2, 0.5, 1, 2, 5, 20];

/** Whether the simulated building site changes by itself, and how fast. */
export function ActivityControl() {
  const { isRunning = false, rate = 2 } = session.value?.activity ?? {};
  const rates = RATES.includes(rate) ? RATES : [...RATES, rate].toSorted((a, b) => a - b);
  return (
    <div class="activity">
      <h3>Activity</h3>
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          checked={isRunning}
          onChange={() => void act('activity', { isRunning: !isRunning, rate })}
        />
        <span>busy site</span>
      </label>
      <label>
        <span class="hidden">Speed</span>
        <select
          value={String(rate)}
          onChange={({ currentTarget }) =>
            void act('activity', { isRunning: true, rate: Number(currentTarget.value) })
          }
        >
          {rates.map((each) => (
            <option key={each} value={String(each)}>
              {each} changes/s
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
