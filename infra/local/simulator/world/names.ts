import type { Random } from './random.ts';

const PROJECTS = [
  'Harbour View Offices',
  'Northgate School',
  'Linden Street Flats',
  'St Mary Hospital, East Wing',
  'Museum Quarter Car Park',
  'Old Brewery Lofts',
] as const;
const SHORT_WORKS = ['Site Cabins', 'Tower Crane Base', 'Show Flat', 'Trial Pits'] as const;
const DRAWINGS = ['Floor Plan', 'Ceiling Plan', 'Slab', 'Ventilation', 'Fire Zones'] as const;
const LEVELS = ['Basement', 'Ground Floor', 'Level 1', 'Level 2', 'Level 3', 'Roof'] as const;
const STATES = ['for tender', 'for construction', 'revised', 'as built', 'coordinated'] as const;
const INSPECTIONS = ['Concrete', 'Fire Stopping', 'Waterproofing', 'Scaffold', 'Windows'] as const;
const CHECKS = [
  'Cover to reinforcement is 30 mm or more',
  'Drawings on site are the current revision',
  'Photographs are taken and filed',
  'Access is safe and lit',
  'Joints are sealed all round',
] as const;

/** Name of a lasting project; names repeat only after all were used. */
export function projectName(index: number): string {
  const name = PROJECTS[index % PROJECTS.length] ?? PROJECTS[0];
  const phase = Math.floor(index / PROJECTS.length) + 1;
  return phase === 1 ? name : `${name}, Phase ${phase}`;
}

export function shortProjectName(random: Random): string {
  return `${random.pick(SHORT_WORKS)} ${random.below(900) + 100}`;
}

/** A project's code: the initials of its name and a number. */
export function projectCode(name: string, random: Random): string {
  return `${name.replaceAll(/[^A-Z]/g, '').slice(0, 4)}-${random.below(900) + 100}`;
}

export function floorplanName(random: Random): string {
  return `A-${random.below(900) + 100} ${random.pick(LEVELS)} ${random.pick(DRAWINGS)}`;
}

/** Replaces the state in a name, as in “Level 1 – as built”. */
export function withNewState(name: string, random: Random): string {
  const [bare = name] = name.split(' – ');
  const states = STATES.filter((state) => !name.endsWith(` – ${state}`));
  return `${bare} – ${states[random.below(states.length)] ?? STATES[0]}`;
}

export function checklistName(random: Random): string {
  return `${random.pick(INSPECTIONS)} Inspection, ${random.pick(LEVELS)}`;
}

export function checkItemName(random: Random): string {
  return random.pick(CHECKS);
}
