#include <dlfcn.h>
#include <gd.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

// glibc has it since 2.34, its headers only with _GNU_SOURCE.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);

// Leaves the new process no descriptor from `first` on.
static inline int ezwallet_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

// libgd brings a dozen libraries with it: opened where a picture is rendered, never linked.
struct ezwallet_gd {
    typeof(gdImageCreateFromJpegPtrEx) *from_jpeg;
    typeof(gdImageCreateFromPngPtr) *from_png;
    typeof(gdImageCreateFromWebpPtr) *from_webp;
    typeof(gdImageCreateTrueColor) *create;
    typeof(gdImagePaletteToTrueColor) *to_true_color;
    typeof(gdImageFilledRectangle) *fill;
    typeof(gdImageCopyResampled) *resample;
    typeof(gdImageJpegPtr) *to_jpeg;
    typeof(gdImageDestroy) *destroy;
    typeof(gdSetErrorMethod) *set_error_method;
};

// Set by a picture that ends too early, which libgd takes as it is: a part of it is grey.
static inline int *ezwallet_gd_cut_short(void) {
    static int is_cut_short;
    return &is_cut_short;
}

static inline void ezwallet_gd_complain(int priority, const char *format, va_list arguments) {
    char text[256];
    (void)priority;
    vsnprintf(text, sizeof text, format, arguments);
    for (const char *at = text; *at; at++)
        if (strncmp(at + 1, "remature end", 12) == 0) *ezwallet_gd_cut_short() = 1;
}

// 1 where the library is there with all that is needed of it.
static inline int ezwallet_gd_open(struct ezwallet_gd *gd) {
    void *library = dlopen("libgd.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    gd->from_jpeg = dlsym(library, "gdImageCreateFromJpegPtrEx");
    gd->from_png = dlsym(library, "gdImageCreateFromPngPtr");
    gd->from_webp = dlsym(library, "gdImageCreateFromWebpPtr");
    gd->create = dlsym(library, "gdImageCreateTrueColor");
    gd->to_true_color = dlsym(library, "gdImagePaletteToTrueColor");
    gd->fill = dlsym(library, "gdImageFilledRectangle");
    gd->resample = dlsym(library, "gdImageCopyResampled");
    gd->to_jpeg = dlsym(library, "gdImageJpegPtr");
    gd->destroy = dlsym(library, "gdImageDestroy");
    gd->set_error_method = dlsym(library, "gdSetErrorMethod");
    if (!gd->from_jpeg || !gd->from_png || !gd->from_webp || !gd->create || !gd->to_true_color
        || !gd->fill || !gd->resample || !gd->to_jpeg || !gd->destroy || !gd->set_error_method)
        return 0;
    gd->set_error_method(ezwallet_gd_complain);
    return 1;
}

// Format: 0 JPEG, where damage is an error, 1 PNG, 2 WebP. NULL where it cannot be read.
static inline gdImagePtr ezwallet_gd_decode(const struct ezwallet_gd *gd, int format,
                                            const void *bytes, int count) {
    void *data = (void *)bytes;
    *ezwallet_gd_cut_short() = 0;
    gdImagePtr image = format == 0   ? gd->from_jpeg(count, data, 0)
                       : format == 1 ? gd->from_png(count, data)
                                     : gd->from_webp(count, data);
    if (image && (*ezwallet_gd_cut_short() || !gd->to_true_color(image))) {
        gd->destroy(image);
        return 0;
    }
    return image;
}

// The square of `side` pixels from (x, y) at `size` pixels, on white.
static inline gdImagePtr ezwallet_gd_square(const struct ezwallet_gd *gd, gdImagePtr source, int x,
                                            int y, int side, int size) {
    gdImagePtr square = gd->create(size, size);
    if (!square) return 0;
    gd->fill(square, 0, 0, size - 1, size - 1, 0xffffff);
    gd->resample(square, source, 0, 0, x, y, size, size, side, side);
    return square;
}

// A square turned as EXIF's orientation 1 to 8 says: pixel by pixel.
static inline gdImagePtr ezwallet_gd_turned(const struct ezwallet_gd *gd, gdImagePtr source,
                                            int orientation) {
    int last = source->sx - 1;
    gdImagePtr turned = gd->create(source->sx, source->sx);
    if (!turned) return 0;
    for (int y = 0; y <= last; y++)
        for (int x = 0; x <= last; x++) {
            int u = x, v = y;
            switch (orientation) {
                case 2: u = last - x; break;
                case 3: u = last - x; v = last - y; break;
                case 4: v = last - y; break;
                case 5: u = y; v = x; break;
                case 6: u = y; v = last - x; break;
                case 7: u = last - y; v = last - x; break;
                case 8: u = last - y; v = x; break;
            }
            turned->tpixels[y][x] = source->tpixels[v][u];
        }
    return turned;
}

static inline void *ezwallet_gd_jpeg(const struct ezwallet_gd *gd, gdImagePtr image, int *count) {
    return gd->to_jpeg(image, count, 85);
}

static inline void ezwallet_gd_destroy(const struct ezwallet_gd *gd, gdImagePtr image) {
    if (image) gd->destroy(image);
}

static inline int ezwallet_limit(int what, rlim_t value) {
    struct rlimit limit = {value, value};
    return setrlimit(what, &limit);
}

// A process that reads a stranger's picture: so much memory, so many seconds, no file, no core.
static inline int ezwallet_confine(rlim_t bytes, rlim_t seconds) {
    return ezwallet_limit(RLIMIT_AS, bytes) | ezwallet_limit(RLIMIT_CPU, seconds)
           | ezwallet_limit(RLIMIT_FSIZE, 0) | ezwallet_limit(RLIMIT_CORE, 0);
}
