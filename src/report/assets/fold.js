// The first screen of a wide window shows the story, as much of it as there is room for. In a
// narrow one the reader scrolls anyway, and sees at once where the story begins.

const kNarrowWindow = 760;  // as in the style sheet
// What of the summary goes below a story that has no room below it, the first one first.
const kAfterStory = ['promise', 'one-change', 'remedy', 'meaning'];

/** Boxes of the story, but for those that are beside what lanes show. */
const boxesInPicture = () => [...byId(view.mode).querySelectorAll('.txn.cast, .card')]
                                 .map((box) => box.getBoundingClientRect())
                                 .filter(({height}) => height > 0);

/** Whether a box of the story is below the first screen; of a narrow one, the upper one. */
function overflows() {
  const scrolled = scrollY + byId(view.mode).scrollTop;
  const bottoms = boxesInPicture().map(({bottom}) => bottom + scrolled);
  const last = innerWidth > kNarrowWindow ? d3.max(bottoms) : d3.min(bottoms);
  return last > innerHeight - 4;
}

/** Draws the story above as much of the summary as has to make room for it. */
function drawAboveFold() {
  const parts = kAfterStory.map(byId);
  byId('summary').append(...parts.slice().reverse());
  drawStory();
  for (const part of parts.filter(({hidden}) => !hidden)) {
    if (!overflows()) break;
    byId('advice').prepend(part);
    byId('advice').hidden = false;
    drawStory();
  }
}

/**
 * A picture that still has no room ends with the first screen, shows there what is wrong, and
 * says how much there is to scroll to.
 */
function endAtFold() {
  const picture = byId(view.mode);
  picture.style.removeProperty('--room');
  if (innerWidth <= kNarrowWindow || !overflows()) return;
  const top = picture.getBoundingClientRect().top + scrollY;
  picture.style.setProperty('--room', `${Math.max(innerHeight - top - 8, 200)}px`);
  const note = picture.appendChild(el('p', {class: 'fold'}));
  picture.scrollTop = 0;
  const wrong = picture.querySelector('.wrong');
  if (wrong) {
    const {top, bottom} = wrong.getBoundingClientRect();
    const frame = picture.getBoundingClientRect();
    const below = bottom - frame.bottom + note.offsetHeight + 8;
    picture.scrollTop = Math.min(below, top - frame.top - 8);
  }
  tellFold();
}

/** How many boxes of the story are not in sight whole. */
function tellFold() {
  const picture = byId(view.mode);
  const note = picture.querySelector('.fold');
  if (!note) return;
  const frame = picture.getBoundingClientRect();
  const boxes = boxesInPicture();
  const above = boxes.filter(({top}) => top < frame.top).length;
  const below = boxes.filter(({bottom}) => bottom > frame.bottom - note.offsetHeight).length;
  const parts = [[above, 'above'], [below, 'below']].filter(([number]) => number > 0);
  note.textContent = parts
                         .map(
                             ([number, where], at) => at > 0 ?
                                 `${count(number)} ${where}` :
                                 `${plural(number, 'more transaction')} ${where}`)
                         .join(', ');
  note.classList.toggle('none', parts.length === 0);
}
