#include <dlfcn.h>
#include <string.h>
#include <sys/resource.h>

// pango and cairo bring two dozen libraries with them (5 MiB resident): opened where a document is
// made, never linked. What is used of them is declared here, as their headers have it since pango
// 1.26 and cairo 1.16, for pkg-config would link them together with naming their folders.
struct ezwallet_pdf {
    void *(*surface_create)(int (*)(void *, const unsigned char *, unsigned), void *, double,
                            double);
    void (*restrict_to_version)(void *, int);
    void *(*svg_create)(int (*)(void *, const unsigned char *, unsigned), void *, double, double);
    void *(*image_create)(int, int, int);
    int (*write_png)(void *, int (*)(void *, const unsigned char *, unsigned), void *);
    void (*scale)(void *, double, double);
    void (*paint)(void *);
    void (*surface_finish)(void *);
    int (*surface_status)(void *);
    void (*surface_destroy)(void *);
    void *(*create)(void *);
    void (*destroy)(void *);
    int (*status)(void *);
    void (*show_page)(void *);
    void (*tag_begin)(void *, const char *, const char *);
    void (*tag_end)(void *, const char *);
    void (*move_to)(void *, double, double);
    void (*line_to)(void *, double, double);
    void (*set_line_width)(void *, double);
    void (*set_source_rgb)(void *, double, double, double);
    void (*stroke)(void *);
    void (*arc)(void *, double, double, double, double, double);
    void (*rectangle)(void *, double, double, double, double);
    void (*close_path)(void *);
    void (*fill_preserve)(void *);
    void (*set_dash)(void *, const double *, int, double);
    void (*set_line_join)(void *, int);
    void *(*layout_create)(void *);
    void (*layout_show)(void *, void *);
    void (*layout_set_text)(void *, const char *, int);
    void (*layout_set_width)(void *, int);
    void (*layout_set_height)(void *, int);
    void (*layout_set_wrap)(void *, int);
    void (*layout_set_ellipsize)(void *, int);
    void (*layout_set_alignment)(void *, int);
    void (*layout_set_font)(void *, const void *);
    void (*layout_get_size)(void *, int *, int *);
    int (*layout_get_baseline)(void *);
    void *(*layout_get_context)(void *);
    void (*layout_context_changed)(void *);
    void (*layout_set_auto_dir)(void *, int);
    void (*context_set_base_dir)(void *, int);
    int (*find_base_dir)(const char *, int);
    void *(*font_from_string)(const char *);
    void *(*attributes_create)(void);
    void (*attributes_insert)(void *, void *);
    void *(*features_create)(const char *);
    void (*layout_set_attributes)(void *, void *);
    void (*unref)(void *);
    // The document that is being made.
    void *surface, *cairo, *layouts[8], *fonts[4];
    int directions[8];
    // What a picture of pixels is written to at its end.
    int is_image;
    int (*write)(void *, const unsigned char *, unsigned);
    void *closure;
};

// What a text takes, in points.
struct ezwallet_pdf_extent {
    double width, height, baseline;
};

// 1 where both libraries are there with all that is needed of them.
static inline int ezwallet_pdf_open(struct ezwallet_pdf *pdf) {
    void *library = dlopen("libpangocairo-1.0.so.0", RTLD_NOW | RTLD_GLOBAL);
    if (!library) return 0;
    memset(pdf, 0, sizeof *pdf);
    const struct {
        void *place;
        const char *name;
    } wanted[] = {
        {&pdf->surface_create, "cairo_pdf_surface_create_for_stream"},
        {&pdf->restrict_to_version, "cairo_pdf_surface_restrict_to_version"},
        {&pdf->svg_create, "cairo_svg_surface_create_for_stream"},
        {&pdf->image_create, "cairo_image_surface_create"},
        {&pdf->write_png, "cairo_surface_write_to_png_stream"},
        {&pdf->scale, "cairo_scale"},
        {&pdf->paint, "cairo_paint"},
        {&pdf->surface_finish, "cairo_surface_finish"},
        {&pdf->surface_status, "cairo_surface_status"},
        {&pdf->surface_destroy, "cairo_surface_destroy"},
        {&pdf->create, "cairo_create"},
        {&pdf->destroy, "cairo_destroy"},
        {&pdf->status, "cairo_status"},
        {&pdf->show_page, "cairo_show_page"},
        {&pdf->tag_begin, "cairo_tag_begin"},
        {&pdf->tag_end, "cairo_tag_end"},
        {&pdf->move_to, "cairo_move_to"},
        {&pdf->line_to, "cairo_line_to"},
        {&pdf->set_line_width, "cairo_set_line_width"},
        {&pdf->set_source_rgb, "cairo_set_source_rgb"},
        {&pdf->stroke, "cairo_stroke"},
        {&pdf->arc, "cairo_arc"},
        {&pdf->rectangle, "cairo_rectangle"},
        {&pdf->close_path, "cairo_close_path"},
        {&pdf->fill_preserve, "cairo_fill_preserve"},
        {&pdf->set_dash, "cairo_set_dash"},
        {&pdf->set_line_join, "cairo_set_line_join"},
        {&pdf->layout_create, "pango_cairo_create_layout"},
        {&pdf->layout_show, "pango_cairo_show_layout"},
        {&pdf->layout_set_text, "pango_layout_set_text"},
        {&pdf->layout_set_width, "pango_layout_set_width"},
        {&pdf->layout_set_height, "pango_layout_set_height"},
        {&pdf->layout_set_wrap, "pango_layout_set_wrap"},
        {&pdf->layout_set_ellipsize, "pango_layout_set_ellipsize"},
        {&pdf->layout_set_alignment, "pango_layout_set_alignment"},
        {&pdf->layout_set_font, "pango_layout_set_font_description"},
        {&pdf->layout_get_size, "pango_layout_get_size"},
        {&pdf->layout_get_baseline, "pango_layout_get_baseline"},
        {&pdf->layout_get_context, "pango_layout_get_context"},
        {&pdf->layout_context_changed, "pango_layout_context_changed"},
        {&pdf->layout_set_auto_dir, "pango_layout_set_auto_dir"},
        {&pdf->context_set_base_dir, "pango_context_set_base_dir"},
        {&pdf->find_base_dir, "pango_find_base_dir"},
        {&pdf->font_from_string, "pango_font_description_from_string"},
        {&pdf->attributes_create, "pango_attr_list_new"},
        {&pdf->attributes_insert, "pango_attr_list_insert"},
        {&pdf->features_create, "pango_attr_font_features_new"},
        {&pdf->layout_set_attributes, "pango_layout_set_attributes"},
        {&pdf->unref, "g_object_unref"},
    };
    for (size_t at = 0; at < sizeof wanted / sizeof wanted[0]; at++) {
        void *found = dlsym(library, wanted[at].name);
        if (!found) return 0;
        memcpy(wanted[at].place, &found, sizeof found);
    }
    return 1;
}

// Begins a document whose bytes go to `write` as they come; 0 where it cannot. Medium 0 is PDF, 1
// SVG, 2 PNG of so many pixels a point; the latter two are of one page, which is white.
static inline int ezwallet_pdf_begin(struct ezwallet_pdf *pdf, int medium, double pixels,
                                     double width, double height,
                                     int (*write)(void *, const unsigned char *, unsigned),
                                     void *closure, const char *const *fonts, int font_count) {
    pdf->is_image = medium == 2;
    pdf->write = write;
    pdf->closure = closure;
    if (medium == 0) pdf->surface = pdf->surface_create(write, closure, width, height);
    if (medium == 1) pdf->surface = pdf->svg_create(write, closure, width, height);
    if (medium == 2)
        pdf->surface = pdf->image_create(1, (int)(width * pixels), (int)(height * pixels));
    // PDF 1.4: objects in clear, which are bound with those of other parts.
    if (medium == 0) pdf->restrict_to_version(pdf->surface, 0);
    pdf->cairo = pdf->create(pdf->surface);
    if (pdf->status(pdf->cairo) != 0) return 0;
    if (medium == 2) pdf->scale(pdf->cairo, pixels, pixels);
    if (medium != 0) {
        pdf->set_source_rgb(pdf->cairo, 1, 1, 1);
        pdf->paint(pdf->cairo);
    }
    // Round where lines meet.
    pdf->set_line_join(pdf->cairo, 1);
    for (int at = 0; at < font_count && at < 4; at++)
        pdf->fonts[at] = pdf->font_from_string(fonts[at]);
    for (int at = 0; at < 8; at++) {
        void *layout = pdf->layouts[at] = pdf->layout_create(pdf->cairo);
        // By words, and by characters where a word is too long.
        pdf->layout_set_wrap(layout, 2);
        pdf->layout_set_ellipsize(layout, 3);
        // Else a text in the other direction changes its side.
        pdf->layout_set_auto_dir(layout, 0);
        // Readers lose what follows a ligature that no script requires.
        void *attributes = pdf->attributes_create();
        pdf->attributes_insert(attributes,
                               pdf->features_create("liga=0, clig=0, dlig=0, hlig=0"));
        pdf->layout_set_attributes(layout, attributes);
    }
    return 1;
}

static inline void ezwallet_pdf_tag(struct ezwallet_pdf *pdf, const char *name) {
    pdf->tag_begin(pdf->cairo, name, 0);
}

static inline void ezwallet_pdf_untag(struct ezwallet_pdf *pdf, const char *name) {
    pdf->tag_end(pdf->cairo, name);
}

// Lays a text out in a column of points, or on one line where its width is below zero, in one of
// eight places, where it stays until the next; side 0 is the left, 2 the right; direction 1 runs
// from the left, 2 from the right, 0 as the text does.
static inline struct ezwallet_pdf_extent
ezwallet_pdf_lay_out(struct ezwallet_pdf *pdf, int place, const char *text, int length, int font,
                     double width, double height, int side, int direction) {
    void *layout = pdf->layouts[place];
    if (direction == 0) direction = pdf->find_base_dir(text, length) == 1 ? 2 : 1;
    if (direction != pdf->directions[place]) {
        pdf->directions[place] = direction;
        pdf->context_set_base_dir(pdf->layout_get_context(layout), direction - 1);
        pdf->layout_context_changed(layout);
    }
    pdf->layout_set_font(layout, pdf->fonts[font & 3]);
    pdf->layout_set_width(layout, width < 0 ? -1 : (int)(width * 1024));
    pdf->layout_set_height(layout, (int)(height * 1024));
    pdf->layout_set_alignment(layout, side);
    pdf->layout_set_text(layout, text, length);
    int wide = 0, high = 0;
    pdf->layout_get_size(layout, &wide, &high);
    struct ezwallet_pdf_extent extent = {wide / 1024.0, high / 1024.0,
                                         pdf->layout_get_baseline(layout) / 1024.0};
    return extent;
}

static inline void ezwallet_pdf_show(struct ezwallet_pdf *pdf, int place, double x, double y,
                                     double grey) {
    pdf->set_source_rgb(pdf->cairo, grey, grey, grey);
    pdf->move_to(pdf->cairo, x, y);
    pdf->layout_show(pdf->cairo, pdf->layouts[place]);
}

static inline void ezwallet_pdf_rule(struct ezwallet_pdf *pdf, double from, double to, double y,
                                     double width, double grey) {
    pdf->set_source_rgb(pdf->cairo, grey, grey, grey);
    pdf->set_line_width(pdf->cairo, width);
    pdf->move_to(pdf->cairo, from, y);
    pdf->line_to(pdf->cairo, to, y);
    pdf->stroke(pdf->cairo);
}

// Colours are 0xRRGGBB.
static inline void ezwallet_pdf_ink(struct ezwallet_pdf *pdf, unsigned colour) {
    pdf->set_source_rgb(pdf->cairo, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                        (colour & 255) / 255.0);
}

// Fills the path that there is, with a line around it.
static inline void ezwallet_pdf_filled(struct ezwallet_pdf *pdf, unsigned colour, unsigned edge,
                                       double width) {
    ezwallet_pdf_ink(pdf, colour);
    pdf->fill_preserve(pdf->cairo);
    ezwallet_pdf_ink(pdf, edge);
    pdf->set_line_width(pdf->cairo, width);
    pdf->stroke(pdf->cairo);
}

// A piece of a disc between two angles, clockwise from the right; all of it where it is whole.
static inline void ezwallet_pdf_wedge(struct ezwallet_pdf *pdf, double x, double y, double radius,
                                      double start, double end, int is_whole, unsigned colour,
                                      unsigned edge, double width) {
    if (is_whole) {
        pdf->move_to(pdf->cairo, x + radius, y);
        pdf->arc(pdf->cairo, x, y, radius, 0, 6.283185307179586);
    } else {
        pdf->move_to(pdf->cairo, x, y);
        pdf->arc(pdf->cairo, x, y, radius, start, end);
    }
    pdf->close_path(pdf->cairo);
    ezwallet_pdf_filled(pdf, colour, edge, width);
}

static inline void ezwallet_pdf_circle(struct ezwallet_pdf *pdf, double x, double y, double radius,
                                       unsigned colour) {
    pdf->move_to(pdf->cairo, x + radius, y);
    pdf->arc(pdf->cairo, x, y, radius, 0, 6.283185307179586);
    ezwallet_pdf_ink(pdf, colour);
    pdf->set_line_width(pdf->cairo, 0.6);
    pdf->stroke(pdf->cairo);
}

static inline void ezwallet_pdf_box(struct ezwallet_pdf *pdf, double x, double y, double width,
                                    double height, unsigned colour, unsigned edge) {
    pdf->rectangle(pdf->cairo, x, y, width, height);
    ezwallet_pdf_filled(pdf, colour, edge, 0.5);
}

// A line through points, each two numbers; dashed where there are lengths of dashes.
static inline void ezwallet_pdf_polyline(struct ezwallet_pdf *pdf, const double *points, int count,
                                         double width, unsigned colour, const double *dashes,
                                         int dash_count) {
    for (int at = 0; at < count; at++)
        (at == 0 ? pdf->move_to : pdf->line_to)(pdf->cairo, points[2 * at], points[2 * at + 1]);
    ezwallet_pdf_ink(pdf, colour);
    pdf->set_line_width(pdf->cairo, width);
    pdf->set_dash(pdf->cairo, dashes, dash_count, 0);
    pdf->stroke(pdf->cairo);
    pdf->set_dash(pdf->cairo, 0, 0, 0);
}

static inline void ezwallet_pdf_show_page(struct ezwallet_pdf *pdf) { pdf->show_page(pdf->cairo); }

// Writes what is left; 1 where all of it was written and nothing went wrong.
static inline int ezwallet_pdf_end(struct ezwallet_pdf *pdf) {
    int is_fine = pdf->status(pdf->cairo) == 0;
    for (int at = 0; at < 8; at++) pdf->unref(pdf->layouts[at]);
    pdf->destroy(pdf->cairo);
    if (pdf->is_image && pdf->write_png(pdf->surface, pdf->write, pdf->closure) != 0) is_fine = 0;
    pdf->surface_finish(pdf->surface);
    is_fine = is_fine && pdf->surface_status(pdf->surface) == 0;
    pdf->surface_destroy(pdf->surface);
    return is_fine;
}

// Where a text of ASCII stands within bytes, or -1.
extern void *memmem(const void *, size_t, const void *, size_t);
static inline long ezwallet_find(const unsigned char *bytes, size_t count, const char *text) {
    const unsigned char *found = memmem(bytes, count, text, strlen(text));
    return found ? found - bytes : -1;
}

static inline int ezwallet_pdf_limit(int what, rlim_t value) {
    struct rlimit limit = {value, value};
    return setrlimit(what, &limit);
}

// A process that sets other people's texts: so much memory, so many seconds, no file, no core.
static inline int ezwallet_pdf_confine(rlim_t bytes, rlim_t seconds) {
    return ezwallet_pdf_limit(RLIMIT_AS, bytes) | ezwallet_pdf_limit(RLIMIT_CPU, seconds)
           | ezwallet_pdf_limit(RLIMIT_FSIZE, 0) | ezwallet_pdf_limit(RLIMIT_CORE, 0);
}
